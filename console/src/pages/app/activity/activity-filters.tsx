import { useState } from 'react'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Choices, Select } from '../../../parts/form/select.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useNames } from './names.ts'
import { dayInTanzania, PERIODS, type Selection } from './selection.ts'
import { activityWords } from './words.ts'

/** The period is always shown; on a phone the other filters are behind a button. */
export function ActivityFilters({ selection }: { selection: Selection }) {
  const words = useWords(activityWords)
  const { number } = useFormats()
  const { values, days, change, narrowing } = selection
  const [isOpen, setOpen] = useState(narrowing.length > 0)
  const count = narrowing.length
  return (
    <div className="flex flex-col gap-3">
      <Choices
        label={words.period}
        value={values.period}
        options={PERIODS.map((value) => ({ value, label: words.periods[value] }))}
        onChange={(period) => change({ period, ...(period === 'own' ? days : NO_DAYS) })}
      />
      {values.period === 'own' && (
        <div className="grid max-w-md grid-cols-2 gap-3">
          <Field
            label={words.from}
            type="date"
            value={days.from}
            max={days.to}
            onChange={(from) => change({ from })}
          />
          <Field
            label={words.to}
            type="date"
            value={days.to}
            max={dayInTanzania(0)}
            onChange={(to) => change({ to })}
          />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          kind="plain"
          size="small"
          icon="search"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {count > 0 ? words.active(number(count)) : words.filters}
        </Button>
        {count > 0 && (
          <Button kind="quiet" size="small" icon="cross" onClick={selection.clear}>
            {words.clear}
          </Button>
        )}
      </div>
      {isOpen && <OtherFilters selection={selection} />}
    </div>
  )
}

const NO_DAYS = { from: '', to: '' }

function OtherFilters({ selection }: { selection: Selection }) {
  const words = useWords(activityWords)
  const { values, change } = selection
  const names = useNames()
  const models = useModels(selection)
  const any = { value: '', label: words.any }
  const listed = (all: Record<string, string>) =>
    Object.entries(all).map(([value, label]) => ({ value, label }))
  const options = {
    model: models.map((id) => ({ value: id, label: id })),
    kind: listed(words.kinds),
    key: names.keys.map(({ id }) => ({ value: id, label: names.keyName(id) })),
    workspace: names.workspaces.map(({ id, name }) => ({ value: id, label: name })),
    status: listed(words.statuses),
  }
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-5">
      {(Object.keys(options) as (keyof typeof options)[]).map((name) => (
        <Select
          key={name}
          label={words[name]}
          value={values[name]}
          options={[any, ...options[name]]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
    </div>
  )
}

/** The models that were used in the period, and the chosen one in any case. */
function useModels(selection: Selection): string[] {
  const query = { ...selection.query('model'), group: 'model' as const }
  const used = useAsk('GET /v1/activity/daily', { query })
  const ids = (used.data?.data.groups ?? []).flatMap(({ id }) => (id === null ? [] : [id]))
  const { model } = selection.values
  return model === '' || ids.includes(model) ? ids : [model, ...ids]
}
