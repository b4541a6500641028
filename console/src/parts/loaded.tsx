import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AskFailure } from '../client/failure.ts'
import { commonWords } from '../words/common.ts'
import { useFormats } from '../words/format.ts'
import { useWords } from '../words/language.tsx'
import { FailureNotice } from './failure-notice.tsx'
import { Notice } from './notice.tsx'
import { Skeleton } from './skeleton.tsx'

type Props<T> = {
  query: UseQueryResult<T, AskFailure>
  /** A placeholder, shown until the answer is there. */
  shape?: ReactNode
  /** Shown in place of an empty list. */
  empty?: ReactNode
  children(data: T): ReactNode
}

/** The answer of a query; before it, a placeholder or the failure; offline, the last answer with its time. */
export function Loaded<T>({ query, shape = <Skeleton />, empty, children }: Props<T>) {
  const common = useWords(commonWords)
  const { moment } = useFormats()
  const isOffline = query.fetchStatus === 'paused'
  const retry = () => void query.refetch()
  if (query.data === undefined) {
    if (isOffline) return <FailureNotice error={OFFLINE} onRetry={retry} />
    return query.isError ? <FailureNotice error={query.error} onRetry={retry} /> : shape
  }
  return (
    <>
      {isOffline && <Notice tone="warning">{common.lastData(moment(query.dataUpdatedAt))}</Notice>}
      {!isOffline && query.isError && <FailureNotice error={query.error} onRetry={retry} />}
      {empty !== undefined && isEmptyList(query.data) ? empty : children(query.data)}
    </>
  )
}

const isEmptyList = (answer: unknown) => (answer as { data?: unknown[] }).data?.length === 0

const OFFLINE = new AskFailure({ status: 0, kind: 'offline', message: '' })
