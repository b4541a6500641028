import { QueryClient, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ask, type Answer, type AskOptions, type RouteName } from './ask.ts'
import { AskFailure } from './failure.ts'
import { watchMoneyChanges } from './money-changes.ts'

export type GetName = Extract<RouteName, `GET ${string}`>
type More = { enabled?: boolean; refetchInterval?: number | false; staleTime?: number }

/** A GET that a page shows: kept, shared between parts of the page, asked again when seen again. */
export function useAsk<Name extends GetName>(
  name: Name,
  options?: AskOptions<Name>,
  more: More = {},
): UseQueryResult<Answer<Name>, AskFailure> {
  const found = useQuery<Answer<Name>, AskFailure>({
    queryKey: [name, options?.path, options?.query],
    queryFn: ({ signal }) => ask(name, ...([{ ...options, signal }] as never)),
    ...more,
  })
  const isFirst = useSyncExternalStore(NEVER_CHANGES, IN_BROWSER, IN_BUILD)
  return isFirst ? ({ ...found, ...NOT_YET } as typeof found) : found
}

/**
 * A page that was built ahead must begin as it was built, without an answer, though another part of
 * it may have got that already.
 */
const NOT_YET = { data: undefined, status: 'pending', isPending: true, isSuccess: false } as const
const NEVER_CHANGES = () => () => {}
const IN_BROWSER = () => false
const IN_BUILD = () => true

/** After a change: whatever was read of these routes is asked for again. */
export function useAskAgain(): (...names: GetName[]) => Promise<void> {
  const client = useQueryClient()
  return async (...names) => {
    await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))
  }
}

export function newQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Where HTML is written, a timer would only keep the build from ending.
        gcTime: typeof document === 'undefined' ? Infinity : 30 * 60_000,
        // Only what may pass by itself is tried again.
        retry: (count, error) => {
          const status = error instanceof AskFailure ? error.status : 500
          return count < 2 && (status === 0 || status >= 500)
        },
      },
    },
  })
  watchMoneyChanges(client)
  return client
}
