import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { wordFor } from '../word-for.ts'
import { priceWords } from './price-words.ts'
import { sizeOf } from './units.ts'

type PastPrice = Answer<'GET /v1/operator/models/{id}/prices'>['data'][number]

/** Every price that a model had, the newest first. */
export function PriceHistory({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWords(priceWords)
  const query = { path: { id }, query: { limit: 50 } }
  const prices = useAsk('GET /v1/operator/models/{id}/prices', query)
  return (
    <Dialog title={words.historyTitle(id)} onClose={onClose}>
      <Loaded query={prices} shape={<Skeleton lines={5} />}>
        {({ data }) => (
          <ol className="divide-y divide-line">
            {data.map((past) => (
              <PastPriceRow key={past.id} past={past} />
            ))}
          </ol>
        )}
      </Loaded>
    </Dialog>
  )
}

function PastPriceRow({ past }: { past: PastPrice }) {
  const words = useWords(priceWords)
  const { fullMoment } = useFormats()
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium">{words.why[past.reason]}</p>
        {past.in_force && <Badge tone="good">{words.inForce}</Badge>}
      </div>
      <p className="text-sm wrap-anywhere text-soft">
        {[past.upstream, fullMoment(past.at), past.operator, words.multiplied(past.margin)]
          .filter((part) => part !== undefined)
          .join(' · ')}
      </p>
      <dl className="mt-1 text-sm">
        {Object.entries(past.pricing).map(([name, price]) => (
          <div key={name} className="flex flex-wrap justify-between gap-x-4">
            <dt className="text-soft">{wordFor(words.units, name)}</dt>
            <dd className="figures min-w-0 wrap-anywhere">
              <UsdPrice name={name} price={price} />
            </dd>
          </div>
        ))}
      </dl>
    </li>
  )
}

function UsdPrice({ name, price }: { name: string; price: unknown }) {
  const { number } = useFormats()
  if (typeof price !== 'string') return JSON.stringify(price)
  return `USD ${number(Number(price) * sizeOf(name), 6)}`
}
