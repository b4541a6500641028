import type { Model } from '../../catalog/models.ts'
import { priceLines, priceWords } from '../../catalog/prices.ts'
import { useTzsOf } from '../../catalog/rate.ts'
import { Badge } from '../../parts/badge.tsx'
import { Money } from '../../parts/money.tsx'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'

/** In credits, and in shillings at the rate of a top-up. */
export function Prices({ model }: { model: Model }) {
  const words = useWords(priceWords)
  const { tzs } = useFormats()
  const tzsOf = useTzsOf()
  if (model.is_free) return <Badge tone="good">{words.free}</Badge>
  return (
    <dl className="flex flex-col gap-1">
      {priceLines(model).map(({ unit, credits }) => {
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
