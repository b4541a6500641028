import type { Model } from '../../catalog/models.ts'
import { conditionOf, priceLines, priceWords, type PriceLine } from '../../catalog/prices.ts'
import { useTzsOf } from '../../catalog/rate.ts'
import { Badge } from '../../parts/badge.tsx'
import { Money } from '../../parts/money.tsx'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'

/** In credits, and in shillings at the rate of a top-up. */
export function Prices({ model }: { model: Model }) {
  const words = useWords(priceWords)
  const { number } = useFormats()
  if (model.is_free) return <Badge tone="good">{words.free}</Badge>
  return (
    <div className="flex flex-col gap-2">
      <Lines lines={priceLines(model)} />
      {model.pricing_credits.tiers?.map((tier) => {
        const condition = conditionOf(tier, words, number)
        return (
          <section key={condition} className="border-t border-line pt-2">
            <h3 className="text-sm font-semibold">{condition}</h3>
            <Lines lines={priceLines(model, tier)} />
          </section>
        )
      })}
    </div>
  )
}

function Lines({ lines }: { lines: PriceLine[] }) {
  const words = useWords(priceWords)
  const { tzs } = useFormats()
  const tzsOf = useTzsOf()
  return (
    <dl className="flex flex-col gap-1">
      {lines.map(({ unit, credits }) => {
        const shillings = tzsOf(credits)
        return (
          <div key={unit} className="flex flex-wrap items-baseline justify-between gap-x-3">
            <dt className="text-sm text-soft">{words[unit]}</dt>
            <dd className="ml-auto text-right">
              <span className="font-semibold">
                <Money credits={credits} />
              </span>
              {shillings !== undefined && (
                <span className="figures ml-2 text-sm text-soft">{tzs(shillings)}</span>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
