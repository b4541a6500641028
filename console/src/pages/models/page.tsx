import { useState } from 'react'
import { ABILITIES, abilityWords, useCatalog, type Model } from '../../catalog/models.ts'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Field } from '../../parts/form/field.tsx'
import { Filters, useFilters } from '../../parts/filters.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { Choices, Select } from '../../parts/form/select.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { commonWords } from '../../words/common.ts'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'
import { choose, nearest, NOTHING_WANTED } from './choose.ts'
import { Comparison } from './comparison.tsx'
import { ModelCard } from './model-card.tsx'
import { modelWords } from './words.ts'

const SHOWN_AT_FIRST = 12
const MOST_COMPARED = 3

export default function Page() {
  const words = useWords(modelWords)
  const catalog = useCatalog()
  return (
    <div className="column py-8">
      <PageTitle title={words.title} lead={words.lead} />
      <noscript>
        {/* The service puts the price list here. */}
        <div className="plain-prices">%prices%</div>
      </noscript>
      {catalog.isError && (
        <FailureNotice error={catalog.error} onRetry={() => void catalog.refetch()} />
      )}
      {catalog.isPending && <Skeleton lines={5} tall />}
      {catalog.data && <ModelList models={catalog.data.data} />}
    </div>
  )
}

function ModelList({ models }: { models: Model[] }) {
  const words = useWords(modelWords)
  const common = useWords(commonWords)
  const { number } = useFormats()
  const [wanted, want] = useFilters({ ...NOTHING_WANTED, compare: '' })
  const [shown, setShown] = useState(SHOWN_AT_FIRST)
  const found = choose(models, wanted)
  const compared = wanted.compare.split(',').filter((id) => id !== '')
  const toggle = (id: string) => {
    const next = compared.includes(id) ? compared.filter((one) => one !== id) : [...compared, id]
    want({ compare: next.slice(-MOST_COMPARED).join(',') })
  }
  return (
    <div className="flex flex-col gap-5">
      <FilterFields models={models} wanted={wanted} want={want} />
      <p role="status" className="text-sm text-soft">
        {words.count(number(found.length))}
      </p>
      <Comparison
        models={models.filter((model) => compared.includes(model.id))}
        onRemove={toggle}
      />
      {found.length === 0 && (
        <Empty bare icon="search" title={words.none}>
          <p>{words.noneSay}</p>
          {nearest(models, wanted.q).length > 0 && (
            <p>
              {words.near}{' '}
              {nearest(models, wanted.q).map((model) => (
                <button
                  key={model.id}
                  type="button"
                  className="link min-h-11 px-2"
                  onClick={() => want({ ...NOTHING_WANTED, q: model.id })}
                >
                  {model.name}
                </button>
              ))}
            </p>
          )}
          <Button kind="plain" onClick={() => want(NOTHING_WANTED)}>
            {words.clear}
          </Button>
        </Empty>
      )}
      <ul className="grid gap-4 md:grid-cols-2">
        {found.slice(0, shown).map((model) => (
          <li key={model.id} className="min-w-0">
            <ModelCard
              model={model}
              compared={compared.includes(model.id)}
              onCompare={() => toggle(model.id)}
            />
          </li>
        ))}
      </ul>
      {found.length > shown && (
        <Button kind="plain" onClick={() => setShown(shown + SHOWN_AT_FIRST)}>
          {common.more}
        </Button>
      )}
    </div>
  )
}

type FieldsProps = {
  models: Model[]
  wanted: typeof NOTHING_WANTED
  want(changes: Partial<typeof NOTHING_WANTED>): void
}

function FilterFields({ models, wanted, want }: FieldsProps) {
  const words = useWords(modelWords)
  const abilities = useWords(abilityWords)
  const common = useWords(commonWords)
  const offered = ABILITIES.filter((ability) =>
    models.some((model) => model.output_modalities.includes(ability)),
  )
  const inputs = (['text', 'image', 'audio', 'video', 'file'] as const).filter((input) =>
    models.some((model) => model.input_modalities.includes(input)),
  )
  const all = { value: '', label: common.all }
  return (
    <div className="flex flex-col gap-4">
      <Choices
        label={words.kind}
        value={wanted.kind}
        options={[
          all,
          ...offered.map((value) => ({ value: value as string, label: abilities[value] })),
        ]}
        onChange={(kind) => want({ kind })}
      />
      <Filters>
        <Field
          label={words.search}
          type="search"
          placeholder={words.searchHint}
          value={wanted.q}
          onChange={(q) => want({ q })}
        />
        <Select
          label={words.reads}
          value={wanted.reads}
          options={[
            all,
            ...inputs.map((value) => ({ value: value as string, label: words.input[value] })),
          ]}
          onChange={(reads) => want({ reads })}
        />
        <Select
          label={words.sort}
          value={wanted.sort}
          options={Object.entries(words.sorts).map(([value, label]) => ({ value, label }))}
          onChange={(sort) => want({ sort })}
        />
        <label className="flex min-h-12 items-center gap-3 self-end font-medium">
          <input
            type="checkbox"
            checked={wanted.free !== ''}
            onChange={(event) => want({ free: event.target.checked ? '1' : '' })}
            className="size-6 accent-green"
          />
          {words.free}
        </label>
      </Filters>
    </div>
  )
}
