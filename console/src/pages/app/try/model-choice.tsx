import { useSearchParams } from 'wouter'
import { useCatalog, type Model } from '../../../catalog/models.ts'
import { byPrice } from '../../../catalog/prices.ts'
import { useStored } from '../../../client/device-storage.ts'
import { Select } from '../../../parts/form/select.tsx'
import { useWords } from '../../../words/language.tsx'
import { tryWords } from './words.ts'

export type ModelChoice = {
  model: Model | undefined
  models: Model[]
  choose(id: string): void
  pending: boolean
  error: unknown
}

/** The model named in the address, else the one used last, else the cheapest that is not free. */
export function useModelChoice(name: string, fits: (model: Model) => boolean): ModelChoice {
  const catalog = useCatalog()
  const [search, setSearch] = useSearchParams()
  const [last, setLast] = useStored(`model ${name}`, '')
  const models = (catalog.data?.data ?? []).filter(fits).sort(byPrice)
  const find = (id: string | null) => models.find((model) => model.id === id)
  const model =
    find(search.get('model')) ?? find(last) ?? models.find(({ is_free }) => !is_free) ?? models[0]
  return {
    model,
    models,
    choose(id) {
      setLast(id)
      if (search.has('model')) setSearch({}, { replace: true })
    },
    pending: catalog.isPending,
    error: catalog.error,
  }
}

export function ModelSelect({ choice, label }: { choice: ModelChoice; label?: string }) {
  const words = useWords(tryWords)
  const { model, models, choose } = choice
  if (model === undefined) return null
  return (
    <Select
      label={label ?? words.model}
      value={model.id}
      options={models.map(({ id, name, is_free }) => ({
        value: id,
        label: is_free && !/free|bure/i.test(name) ? `${name} (${words.free})` : name,
      }))}
      onChange={choose}
    />
  )
}
