import { useAsk } from '../../../client/use-ask.ts'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { tryWords } from './words.ts'

/** `≈ krediti 0.4 · una 99.6` */
export function EstimateLine({ credits }: { credits: number | undefined }) {
  const words = useWords(tryWords)
  const { amount } = useFormats()
  const have = useAsk('GET /v1/billing/balance').data?.data.available_credits
  if (credits === undefined || have === undefined) return <p className="min-h-[1.45em] text-sm" />
  return (
    <p className="figures min-h-[1.45em] text-sm text-soft">
      {credits === 0
        ? words.estimateFree(amount(have))
        : words.estimate(amount(rough(credits)), amount(have))}
    </p>
  )
}

/** An estimate is shown with two significant digits. */
export const rough = (credits: number) => Number(credits.toPrecision(2))
