import type { Catalog, PricedModel } from '../../catalog/catalog.ts'
import { Failure, invalidField } from '../../lib/failure.ts'

/** The named model or the default; it must produce `output`. */
export function voiceModel(
  catalog: Catalog,
  field: string,
  id: string | undefined,
  output: string,
): PricedModel {
  if (id === undefined) throw invalidField(field, 'is required, because no default is configured')
  return catalog.requireModel(id, { outputs: [output] }, field)
}

/** The named voice, else the default if the model has it, else the model's first. */
export function voiceFor(
  model: PricedModel,
  named: string | null | undefined,
  fallback: string | undefined,
): string | undefined {
  const known = model.supportedVoices
  if (typeof named !== 'string') {
    return known.length === 0 || (fallback !== undefined && known.includes(fallback))
      ? fallback
      : known[0]
  }
  if (known.length === 0 || known.includes(named)) return named
  const some = known.slice(0, 20).join(', ')
  throw new Failure(
    'unsuitable',
    `voice must be one of the voices of "${model.id}", such as ${some}.`,
    { param: 'voice', code: 'model_capability' },
  )
}
