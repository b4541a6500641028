import { AskFailure } from '../client/failure.ts'
import { commonWords } from '../words/common.ts'
import { failureWords } from '../words/failures.ts'
import { useFormats } from '../words/format.ts'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

export type FailureProps = {
  error: unknown
  /** For what costs money: says that nothing was charged, or that we cannot tell. */
  paid?: boolean | undefined
  /** In place of the usual sentence, when it is not known whether the call was done. */
  unsure?: string | undefined
  onRetry?: (() => void) | undefined
  /** In place of the usual sentence, by the API's code: a page may know better what happened. */
  kinds?: Partial<Record<string, string>> | undefined
}

/** What happened, whether money moved, what to do, and the request id. */
export function FailureNotice({ error, paid, unsure, onRetry, kinds }: FailureProps) {
  const words = useWords(failureWords)
  const common = useWords(commonWords)
  const { number } = useFormats()
  const sentence = useFailureSentence(kinds)
  if (error === null || error === undefined) return null
  const failure = error instanceof AskFailure ? error : undefined
  return (
    <Notice tone="bad" title={words.title}>
      <p>{sentence(error)}</p>
      {failure?.inDoubt === true && failure.status === 0 && <p>{unsure ?? words.unsure}</p>}
      {paid === true && failure?.inDoubt !== true && <p>{words.notCharged}</p>}
      {failure?.retryAfterS !== undefined && <p>{words.wait(number(failure.retryAfterS))}</p>}
      {failure?.requestId !== undefined && (
        <p className="text-sm text-soft">
          {words.requestId}: <code className="font-mono break-all">{failure.requestId}</code>
        </p>
      )}
      {onRetry && (
        <div className="mt-2">
          <Button kind="plain" size="small" onClick={onRetry}>
            {common.tryAgain}
          </Button>
        </div>
      )}
    </Notice>
  )
}

/** The sentence alone, for an error below a field. */
export function useFailureSentence(
  kinds: Partial<Record<string, string>> = {},
): (error: unknown) => string {
  const words = useWords(failureWords)
  return (error) => {
    if (!(error instanceof AskFailure)) return words.kinds.unreadable
    const known: Partial<Record<string, string>> = { ...words.kinds, ...kinds }
    // For a wrong field, the API's own sentence is the most precise.
    const own = ['validation_error', 'invalid_request_error'].includes(error.kind)
    const sentence = own ? kinds[error.kind] : known[error.kind]
    return sentence ?? (error.message || words.kinds.internal_error)
  }
}
