import { useState } from 'react'
import { useTzsOf } from '../../../catalog/rate.ts'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { useAge } from '../age.ts'
import { useOperator } from '../operator.ts'
import { wordFor } from '../word-for.ts'
import { priceWords } from './price-words.ts'
import { sizeOf } from './units.ts'

type Price = Answer<'GET /v1/operator/prices/waiting'>['data'][number]
type Line = Price['prices'][number]
type Props = { onDone(said: string): void }

/** Old and new price side by side, in shillings; the new one does not apply yet. */
export function WaitingPrices({ onDone }: Props) {
  const words = useWords(priceWords)
  const waiting = useAsk('GET /v1/operator/prices/waiting')
  const [target, setTarget] = useState<string>()
  return (
    <>
      <p className="mb-4 max-w-prose text-soft">{words.lead}</p>
      <Loaded
        query={waiting}
        shape={<Skeleton lines={3} tall />}
        empty={<Empty icon="check" title={words.none} />}
      >
        {({ data }) => (
          <div className="flex flex-col gap-4">
            {data.map((price) => (
              <WaitingPrice
                key={`${price.model} ${price.upstream}`}
                price={price}
                onApprove={() => setTarget(price.model)}
              />
            ))}
          </div>
        )}
      </Loaded>
      {target !== undefined && (
        <ApprovePrice model={target} onDone={onDone} onClose={() => setTarget(undefined)} />
      )}
    </>
  )
}

function WaitingPrice({ price, onApprove }: { price: Price; onApprove(): void }) {
  const words = useWords(priceWords)
  const { number } = useFormats()
  const { may } = useOperator()
  const age = useAge()
  const columns = useColumns()
  const changed = price.prices.filter((line) => line.old_usd !== line.new_usd)
  const others = price.prices.length - changed.length
  return (
    <section className="card p-4">
      <div className="mb-2 flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-lg wrap-anywhere">{price.model}</h2>
          <p className="text-sm text-soft">{words.at(price.upstream, age(price.noticed_at))}</p>
        </div>
        <Badge tone="wait">{words.reasons[price.reason]}</Badge>
      </div>
      <Table
        bare
        caption={price.model}
        columns={columns}
        rows={changed}
        keyOf={({ name }) => name}
      />
      {others > 0 && <p className="mt-2 text-sm text-soft">{words.unchanged(number(others))}</p>}
      {may('owner') && (
        <div className="mt-3">
          <Button aria-label={`${words.approve}: ${price.model}`} onClick={onApprove}>
            {words.approve}
          </Button>
        </div>
      )}
    </section>
  )
}

function useColumns(): Column<Line>[] {
  const words = useWords(priceWords)
  const { tzs, percent } = useFormats()
  const tzsOf = useTzsOf()
  const money = (name: string, credits: number | undefined) => {
    const amount = credits === undefined ? undefined : tzsOf(credits * sizeOf(name))
    return amount === undefined ? words.nothing : tzs(amount)
  }
  return [
    { label: words.price, lead: true, show: ({ name }) => wordFor(words.units, name) },
    { label: words.old, figure: true, show: (one) => money(one.name, one.old_credits) },
    {
      label: words.new,
      figure: true,
      show: (one) => <strong>{money(one.name, one.new_credits)}</strong>,
    },
    {
      label: words.change,
      figure: true,
      show: ({ old_credits: old, new_credits: next }) =>
        old === undefined || next === undefined || old === 0
          ? '–'
          : `${next > old ? '▲ +' : '▼ '}${percent(Math.round((next / old - 1) * 100))}`,
    },
  ]
}

type ApproveProps = Props & { model: string; onClose(): void }

function ApprovePrice({ model, onDone, onClose }: ApproveProps) {
  const words = useWords(priceWords)
  return (
    <ActionDialog
      title={words.approveTitle(model)}
      why={words.approveWhy}
      button={words.approve}
      fields={{ ids: [model] }}
      perform={(given) => ask('POST /v1/operator/prices/approval', given)}
      renews={[
        'GET /v1/operator/prices/waiting',
        'GET /v1/operator/models',
        'GET /v1/operator/attention',
        'GET /v1/operator/requests',
      ]}
      onDone={() => onDone(words.approved(model))}
      onWait={onDone}
      onClose={onClose}
    />
  )
}
