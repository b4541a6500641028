import { useState } from 'react'
import { abilityWords } from '../../../catalog/models.ts'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useOperator } from '../operator.ts'
import { wordFor } from '../word-for.ts'
import { priceWords } from './price-words.ts'
import { SetMargin } from './set-margin.tsx'

type All = Answer<'GET /v1/operator/margins'>['data']
type Kind = All['modalities'][number]

export function MarginTab({ onDone }: { onDone(said: string): void }) {
  const margins = useAsk('GET /v1/operator/margins')
  return (
    <Loaded query={margins} shape={<Skeleton lines={5} />}>
      {({ data }) => <MarginTable all={data} onDone={onDone} />}
    </Loaded>
  )
}

function MarginTable({ all, onDone }: { all: All; onDone(said: string): void }) {
  const words = useWords(priceWords)
  const abilities = useWords(abilityWords)
  const { number } = useFormats()
  const { may } = useOperator()
  const [target, setTarget] = useState<Kind>()
  const columns: Column<Kind>[] = [
    {
      label: words.modality,
      lead: true,
      show: ({ modality }) => wordFor(abilities, modality),
    },
    { label: words.models, figure: true, show: ({ models }) => number(models) },
    {
      label: words.own,
      figure: true,
      show: ({ margin }) => margin ?? words.usual(all.house),
    },
  ]
  return (
    <>
      <p className="mb-4 max-w-prose text-soft">{words.marginsLead(all.house)}</p>
      <Table
        caption={words.own}
        columns={columns}
        rows={all.modalities}
        keyOf={({ modality }) => modality}
        {...(may('owner') && {
          actions: (kind: Kind) => (
            <Button
              kind="quiet"
              size="small"
              aria-label={`${words.set}: ${wordFor(abilities, kind.modality)}`}
              onClick={() => setTarget(kind)}
            >
              {words.set}
            </Button>
          ),
        })}
      />
      {target && (
        <SetMargin
          target={{ modality: target.modality }}
          now={target.margin}
          onDone={onDone}
          onClose={() => setTarget(undefined)}
        />
      )}
    </>
  )
}
