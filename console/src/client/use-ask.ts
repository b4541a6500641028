import { QueryClient, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ask, type Answer, type AskOptions, type RouteName } from './ask.ts'
import { AskFailure } from './failure.ts'
import { watchMoneyChanges } from './money-changes.ts'
import { onSessionEnd } from './session-belongings.ts'

export type GetName = Extract<RouteName, `GET ${string}`>
type More = { enabled?: boolean; refetchInterval?: number | false; staleTime?: number }

/** A GET that a page shows: cached, shared between components, sent again when the page is seen again. */
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
 * A prerendered page must render first as it was built, without an answer, even if another component
 * has one already.
 */
const NOT_YET = { data: undefined, status: 'pending', isPending: true, isSuccess: false } as const
const NEVER_CHANGES = () => () => {}
const IN_BROWSER = () => false
const IN_BUILD = () => true

/** After a change: sends these routes again wherever their answers are shown. */
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
        // While pages are prerendered, a timer would keep the build from ending.
        gcTime: typeof document === 'undefined' ? Infinity : 30 * 60_000,
        // Only failures that may pass by themselves are tried again.
        retry: (count, error) => {
          const status = error instanceof AskFailure ? error.status : 500
          return count < 2 && (status === 0 || status >= 500)
        },
      },
    },
  })
  watchMoneyChanges(client)
  onSessionEnd(() => client.clear())
  return client
}
