import type { PricedModel } from '../../catalog/catalog.ts'
import { Failure } from '../../lib/failure.ts'
import type { Fields } from '../../lib/json.ts'

/** What the model's list says that it makes; what it does not name passes as it is. */
export function checkOffered({ id, video }: PricedModel, body: Fields): void {
  const offered: [field: string, values: readonly (string | number)[] | undefined][] = [
    ['duration', video?.durations],
    ['seconds', video?.durations],
    ['resolution', video?.resolutions],
    ['aspect_ratio', video?.aspectRatios],
    ['size', video?.sizes],
  ]
  for (const [field, values = []] of offered) {
    const asked = body[field]
    if (asked === undefined || asked === null || values.length === 0) continue
    if (values.some((value) => isSame(value, asked))) continue
    const allowed = values.join(', ')
    throw new Failure('unsuitable', `${field} must be one of ${allowed} for "${id}".`, {
      param: field,
      code: 'model_capability',
    })
  }
}

function isSame(value: string | number, asked: unknown): boolean {
  if (typeof value === 'number') return value === Number(asked)
  return value.toLowerCase() === String(asked).toLowerCase()
}
