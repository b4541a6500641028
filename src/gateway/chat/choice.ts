import { invalidField } from '../../lib/failure.ts'
import { fieldsOf, isFields, type Fields } from '../../lib/json.ts'
import { hasWishes, readWishes, unreadIn, type Wishes } from './wishes.ts'

/** Who may answer, as far as the caller says it. */
export type Choice<Body> = {
  /** The request, once for each model that may answer, in the order to be asked. */
  bodies: readonly Body[]
  wishes: Wishes | undefined
}

type Choosing = { model: string }
type Models = { models?: string[] | null | undefined }

const MOST_MODELS = 4

/** Of a chat or of Responses: the others are named in `models`. */
export function choiceOf<Body extends Choosing & Models>(body: Body): Choice<Body> {
  if (!body.models && !hasWishes(body)) return { bodies: [body], wishes: undefined }
  const { models, ...one } = body
  const names = [...new Set([body.model, ...(models ?? [])])]
  if (names.length > MOST_MODELS) throw tooMany('models')
  const { wishes, rest } = readWishes(one)
  return { bodies: names.map((model) => ({ ...rest, model }) as unknown as Body), wishes }
}

type Fallback = Fields & { model: string }
type Fallbacks = { fallbacks?: Fallback[] | 'default' | null | undefined }

/** Of Messages: each of the others may have fields of its own. */
export function choiceInMessages<Body extends Choosing & Fallbacks>(body: Body): Choice<Body> {
  if (!Array.isArray(body.fallbacks)) {
    const { wishes, rest } = readWishes(body)
    return { bodies: [rest], wishes }
  }
  const { fallbacks, ...one } = body
  if (fallbacks.length >= MOST_MODELS) throw tooMany('fallbacks')
  const { wishes, rest } = readWishes(one)
  const told = fallbacks.map((fallback) => unreadIn(fallback, 'fallbacks', OF_FALLBACK))
  const first = Object.assign({}, rest, ...told) as Body
  return { bodies: [first, ...fallbacks.map((other) => withFallback(first, other))], wishes }
}

const OF_FALLBACK = new Set(['model', 'max_tokens', 'thinking', 'output_config'])

/** What is null is left out; the format and the effort are replaced one by one. */
function withFallback<Body extends Choosing & Fields>(body: Body, fallback: Fallback): Body {
  const { model, max_tokens: most, thinking, output_config: output } = fallback
  const made: Fields = { ...body, model }
  if (typeof most === 'number') made.max_tokens = most
  if (thinking !== undefined) made.thinking = thinking
  if (output === null) delete made.output_config
  else if (isFields(output)) made.output_config = { ...fieldsOf(body.output_config), ...output }
  return made as Body
}

function tooMany(field: string) {
  return invalidField(field, `may name at most ${MOST_MODELS} models, with "model"`)
}
