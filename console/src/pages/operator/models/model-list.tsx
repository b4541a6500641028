import { useState } from 'react'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { abilityWords } from '../../../catalog/models.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Select } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { commonWords } from '../../../words/common.ts'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { useOperator } from '../operator.ts'
import { wordFor } from '../word-for.ts'
import { PriceHistory } from './price-history.tsx'
import { SetMargin } from './set-margin.tsx'
import { TryModel } from './try-model.tsx'
import { tryWords } from './try-words.ts'
import { modelsWords } from './words.ts'

type Model = Answer<'GET /v1/operator/models'>['data'][number]
type ModelDialog = { kind: 'switch' | 'history' | 'margin' | 'try'; model: Model }
type Props = { onDone(said: string): void }

const ROWS = 50

export function ModelList({ onDone }: Props) {
  const models = useAsk('GET /v1/operator/models')
  return (
    <Loaded query={models} shape={<Skeleton lines={8} />}>
      {({ data }) => <FilteredModels models={data} onDone={onDone} />}
    </Loaded>
  )
}

function FilteredModels({ models, onDone }: Props & { models: Model[] }) {
  const words = useWords(modelsWords)
  const common = useWords(commonWords)
  const { number } = useFormats()
  const [filters, change] = useFilters({ q: '', show: 'all' })
  const [rows, setRows] = useState(ROWS)
  const [dialog, setDialog] = useState<ModelDialog>()
  const fitting = models.filter((one) => fits(one, filters))
  const close = () => setDialog(undefined)
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-[2fr_1fr]">
        <Field label={words.search} value={filters.q} onChange={(q) => change({ q })} />
        <Select
          label={words.show}
          value={filters.show}
          options={Object.entries(words.shows).map(([value, label]) => ({ value, label }))}
          onChange={(show) => change({ show })}
        />
      </div>
      <p role="status" className="text-sm text-soft">
        {words.count(number(fitting.length), number(models.length))}
      </p>
      {fitting.length === 0 ? (
        <Empty icon="search" title={words.none} />
      ) : (
        <ul aria-label={words.title} className="card divide-y divide-line px-4">
          {fitting.slice(0, rows).map((model) => (
            <ModelRow key={model.id} model={model} onOpen={setDialog} />
          ))}
        </ul>
      )}
      {fitting.length > rows && (
        <Button kind="plain" onClick={() => setRows(rows + ROWS)}>
          {common.more}
        </Button>
      )}
      {dialog?.kind === 'switch' && (
        <SwitchModel model={dialog.model} onDone={onDone} onClose={close} />
      )}
      {dialog?.kind === 'try' && <TryModel id={dialog.model.id} onClose={close} />}
      {dialog?.kind === 'history' && <PriceHistory id={dialog.model.id} onClose={close} />}
      {dialog?.kind === 'margin' && (
        <SetMargin
          target={{ model: dialog.model.id }}
          now={dialog.model.margin}
          onDone={onDone}
          onClose={close}
        />
      )}
    </div>
  )
}

function fits({ id, name, enabled }: Model, { q, show }: { q: string; show: string }): boolean {
  if (show === 'on' && !enabled) return false
  if (show === 'off' && enabled) return false
  return `${id} ${name}`.toLowerCase().includes(q.trim().toLowerCase())
}

function ModelRow({ model, onOpen }: { model: Model; onOpen(dialog: ModelDialog): void }) {
  const words = useWords(modelsWords)
  const abilities = useWords(abilityWords)
  const { id, name, enabled, margin, offers, output_modalities: kinds } = model
  const margins = [...new Set(offers.map((one) => one.margin))].join(', ')
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium wrap-anywhere">
          {name}
          <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? words.on : words.off}</Badge>
          {offers.some((one) => one.price_waiting) && <Badge tone="wait">{words.waits}</Badge>}
          {!offers.some((one) => one.listed) && <Badge tone="bad">{words.unlisted}</Badge>}
        </p>
        <code className="font-mono text-sm wrap-anywhere text-soft">{id}</code>
        <p className="text-sm wrap-anywhere text-soft">
          {[
            kinds.map((kind) => wordFor(abilities, kind)).join(', '),
            offers.map(({ upstream }) => upstream).join(', '),
            margin === undefined ? words.times(margins) : words.timesOwn(margin),
          ].join(' · ')}
        </p>
      </div>
      <ModelActions model={model} onOpen={onOpen} />
    </li>
  )
}

function ModelActions({ model, onOpen }: { model: Model; onOpen(dialog: ModelDialog): void }) {
  const words = useWords(modelsWords)
  const { action } = useWords(tryWords)
  const { may } = useOperator()
  const isTalking = model.output_modalities.includes('text')
  const button = (kind: ModelDialog['kind'], label: string) => (
    <Button
      kind="quiet"
      size="small"
      aria-label={`${label}: ${model.id}`}
      onClick={() => onOpen({ kind, model })}
    >
      {label}
    </Button>
  )
  return (
    <div className="-mx-3 flex flex-wrap sm:mr-0 sm:justify-end">
      {may('owner') && button('switch', model.enabled ? words.turnOff : words.turnOn)}
      {may('owner') && button('margin', words.margin)}
      {may('support') && isTalking && button('try', action)}
      {button('history', words.history)}
    </div>
  )
}

type SwitchProps = Props & { model: Model; onClose(): void }

function SwitchModel({ model: { id, enabled }, onDone, onClose }: SwitchProps) {
  const words = useWords(modelsWords)
  return (
    <ActionDialog
      title={enabled ? words.turnOffTitle(id) : words.turnOnTitle(id)}
      why={enabled ? words.turnOffWhy : words.turnOnWhy}
      button={enabled ? words.turnOff : words.turnOn}
      harmless={!enabled}
      fields={{ enabled: !enabled }}
      perform={(given) => ask('PATCH /v1/operator/models/{id}', { path: { id }, ...given })}
      renews={['GET /v1/operator/models']}
      onDone={() => onDone(enabled ? words.turnedOff(id) : words.turnedOn(id))}
      onClose={onClose}
    />
  )
}
