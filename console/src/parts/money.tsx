import { commonWords } from '../words/common.ts'
import { useFormats } from '../words/format.ts'
import { useWords } from '../words/language.tsx'

/** Credits as the ledger has them; no page computes a charge. */
export function Money({ credits, signed }: { credits: number; signed?: boolean }) {
  const { amount } = useFormats()
  const common = useWords(commonWords)
  const sign = signed === true && credits > 0 ? '+' : ''
  return <span className="figures whitespace-nowrap">{common.credits(sign + amount(credits))}</span>
}

export function Tzs({ amount }: { amount: number }) {
  return <span className="figures whitespace-nowrap">{useFormats().tzs(amount)}</span>
}
