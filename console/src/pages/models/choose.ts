import { ABILITIES, abilitiesOf, type Ability, type Model } from '../../catalog/models.ts'
import { priceLines } from '../../catalog/prices.ts'

export type Wanted = { q: string; kind: string; reads: string; free: string; sort: string }

export const NOTHING_WANTED: Wanted = { q: '', kind: '', reads: '', free: '', sort: 'cheap' }

/** The models that match the filters, sorted. */
export function choose(models: readonly Model[], wanted: Wanted): Model[] {
  const words = wanted.q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return models
    .filter((model) => {
      const text = `${model.id} ${model.name}`.toLowerCase()
      return (
        words.every((word) => text.includes(word)) &&
        (wanted.kind === '' || abilitiesOf(model).includes(wanted.kind as Ability)) &&
        (wanted.reads === '' || model.input_modalities.includes(wanted.reads)) &&
        (wanted.free === '' || model.is_free)
      )
    })
    .sort(ORDERS[wanted.sort] ?? ORDERS['cheap'])
}

const byName = (one: Model, other: Model) => one.name.localeCompare(other.name)

const ORDERS: Record<string, (one: Model, other: Model) => number> = {
  cheap: (one, other) => weight(one) - weight(other) || byName(one, other),
  name: byName,
  new: (one, other) => other.created - one.created || byName(one, other),
  context: (one, other) =>
    (other.context_length ?? 0) - (one.context_length ?? 0) || byName(one, other),
}

/** Prices of different units cannot be compared, so kinds stay together. */
function weight(model: Model): number {
  const kind = ABILITIES.findIndex((ability) => model.output_modalities.includes(ability))
  const { prompt = 0, completion = 0 } = model.pricing_credits
  const first = priceLines(model)[0]?.credits ?? 0
  return kind * 1e9 + (model.is_free ? 0 : (prompt + completion) * 1e6 || first)
}

/** The three most similar names, by the letter pairs they share with the text. */
export function nearest(models: readonly Model[], text: string): Model[] {
  const wanted = pairs(text)
  const shared = (model: Model) => {
    const own = pairs(`${model.id} ${model.name}`)
    return [...wanted].filter((pair) => own.has(pair)).length
  }
  return models
    .map((model) => ({ model, score: shared(model) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, 3)
    .map(({ model }) => model)
}

function pairs(text: string): Set<string> {
  const letters = text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  )
}
