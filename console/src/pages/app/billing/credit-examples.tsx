import { useAsk } from '../../../client/use-ask.ts'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { byPrice, isPricedChat, monthOf } from '../../landing/month.ts'
import { billingWords } from './words.ts'

const FIELDS = 'id,output_modalities,pricing_credits,is_free'
const ONE_A_DAY = { messages: 1, minutes: 1, pictures: 1 }

/** What these credits buy of everyday things, each at the lowest listed price. */
export function CreditExamples({ credits }: { credits: number }) {
  const words = useWords(billingWords)
  const { number } = useFormats()
  const query = { fields: FIELDS, include_free: 'true' as const }
  const catalog = useAsk('GET /v1/catalog', { query }, { staleTime: 300_000 })
  const models = catalog.data?.data ?? []
  const cheapest = models.filter(isPricedChat).sort(byPrice)[0]
  const things = monthOf(ONE_A_DAY, cheapest, models)
    .map(({ part, credits: thirty }) => ({ part, count: Math.floor((credits / thirty) * 30) }))
    .filter(({ count }) => count > 0)
    .map(({ part, count }) => words.things[part](number(count)))
  if (things.length === 0 && !catalog.isPending) return null
  return (
    // Its space is reserved before it is loaded, so that nothing below moves.
    <p className="min-h-10 text-sm text-soft">
      {things.length > 0 && words.buys(things.join(words.or))}
    </p>
  )
}
