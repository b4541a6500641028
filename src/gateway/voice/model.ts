import type { Needs, PricedModel } from '../../catalog/catalog.ts'
import { Failure } from '../../lib/failure.ts'
import type { Gateway } from '../gateway.ts'

/** The model a caller names in `field`, or the default; with the modality that the stage needs. */
export function voiceModel(
  gateway: Gateway,
  wish: { given: string | null | undefined; fallback: string | undefined; field: string },
  needs: Needs,
): PricedModel {
  const { field } = wish
  const id = wish.given ?? wish.fallback
  if (id === undefined) {
    throw new Failure('invalid', `${field} is required: no default is configured.`, {
      param: field,
    })
  }
  try {
    return gateway.catalog.requireModel(id, needs)
  } catch (error) {
    // The catalog calls every model's field `model`; these routes have three of them.
    if (!(error instanceof Failure) || field === 'model') throw error
    throw new Failure(error.kind, error.message.replace(/^model\b/, field), {
      param: field,
      ...(error.code === undefined ? {} : { code: error.code }),
    })
  }
}

/** The voice asked for, else the default where the model has it, else the model's first. */
export function voiceFor(
  model: PricedModel,
  given: string | null | undefined,
  fallback: string | undefined,
): string | undefined {
  const known = model.supportedVoices
  if (typeof given !== 'string') {
    return known.length === 0 || (fallback !== undefined && known.includes(fallback))
      ? fallback
      : known[0]
  }
  if (known.length === 0 || known.includes(given)) return given
  const some = known.slice(0, 20).join(', ')
  throw new Failure('unsuitable', `voice must be one that "${model.id}" has, such as ${some}.`, {
    param: 'voice',
    code: 'model_capability',
  })
}
