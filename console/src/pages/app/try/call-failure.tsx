import { useFacts, useTzsOf } from '../../../catalog/rate.ts'
import { AskFailure } from '../../../client/failure.ts'
import { ButtonLink } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { rough } from './estimate-line.tsx'
import { tryWords } from './words.ts'

type Props = {
  error: unknown
  estimate: number | undefined
  /** The same order again is answered with the work already paid for. */
  repeatable?: boolean
  onRetry?: () => void
}

/** Why a call failed. Without enough credits: how much is missing, and a link to top up. */
export function CallFailure({ error, estimate, repeatable, onRetry }: Props) {
  const words = useWords(tryWords)
  if (error === undefined) return null
  if (error instanceof AskFailure && error.status === 402) {
    return <NotEnoughCredits estimate={estimate} credits={error.credits} />
  }
  return (
    <FailureNotice
      error={error}
      paid
      {...(repeatable ? { unsure: words.twice } : {})}
      {...(onRetry ? { onRetry } : {})}
    />
  )
}

type Missing = Pick<Props, 'estimate'> & Pick<AskFailure, 'credits'>

function NotEnoughCredits({ estimate = 0, credits }: Missing) {
  const words = useWords(tryWords)
  const { amount } = useFormats()
  const { available, needed } = credits ?? { available: 0, needed: rough(estimate) }
  // It can begin with what is needed, but perhaps not end.
  const missing = Math.max(needed, rough(estimate)) - available
  const tzsOf = useTzsOf()
  const amounts = useFacts().data?.data.topup.amounts_tzs ?? []
  return (
    <Notice tone="warning" title={words.short}>
      <p>{words.shortSay(amount(needed), amount(available))}</p>
      {missing > 0 && <p>{words.shortMissing(amount(rough(missing)))}</p>}
      <p className="text-sm text-soft">{words.shortKept}</p>
      <div className="mt-3">
        <ButtonLink to={topUpAddress(tzsOf(missing) ?? 0, amounts)} size="small" icon="wallet">
          {words.topUp}
        </ButtonLink>
      </div>
    </Notice>
  )
}

/** The smallest of the usual amounts that is enough. */
function topUpAddress(missingTzs: number, amounts: readonly number[]): string {
  const enough = amounts.find((amount) => amount >= missingTzs)
  return enough === undefined ? '/app/billing' : `/app/billing?amount=${enough}`
}
