import { factsOf, quote } from './answer-text.ts'
import type { Json } from './exchange.ts'

/** The arguments of a call, which are an object, also of a tool without a schema. */
export function argumentsFor(schema: unknown, prompt: string): Json {
  const made = valueForSchema(schema, prompt)
  return isObject(made) ? made : {}
}

/** The smallest value that a JSON schema allows, with facts of the prompt where they fit. */
export function valueForSchema(schema: unknown, prompt: string): unknown {
  return valueOf(schema, { root: isObject(schema) ? schema : {}, prompt, depth: 0, made: 0 })
}

/** `made` counts the values, since a schema that contains itself twice doubles at each depth. */
type Making = { root: Json; prompt: string; depth: number; made: number }

const DEEPEST = 16
const MOST_VALUES = 1_000

function valueOf(given: unknown, making: Making): unknown {
  const schema = resolved(given, making)
  const { const: constant, enum: choices } = schema
  making.made += 1
  if (constant !== undefined) return constant
  if (Array.isArray(choices)) return choices[0]
  making.depth += 1
  const value = VALUES[kindOf(schema)](schema, making)
  making.depth -= 1
  return value
}

function isEnough({ depth, made }: Making): boolean {
  return depth > DEEPEST || made > MOST_VALUES
}

/** Without references and alternatives: of these the first is taken. */
function resolved(given: unknown, making: Making): Json {
  let schema = isObject(given) ? given : {}
  for (let steps = 0; steps < DEEPEST; steps++) {
    const { $ref: ref, anyOf, oneOf, allOf, ...rest } = schema
    const more = [
      ...(typeof ref === 'string' ? [pointedAt(making.root, ref)] : []),
      ...[anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? [some[0] as unknown] : [])),
      ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
    ]
    if (more.length === 0) return schema
    schema = more.filter(isObject).reduce(joined, rest)
  }
  return {}
}

function joined(one: Json, other: Json): Json {
  const [own, more] = [one.required, other.required].map((all) => (Array.isArray(all) ? all : []))
  const required = [...own!, ...more!] as unknown[]
  const properties = { ...(one.properties as Json), ...(other.properties as Json) }
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

function pointedAt(root: Json, ref: string): unknown {
  const names = ref.replace(/^#\/?/, '').split('/')
  return names
    .filter((name) => name !== '')
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((place, name) => (isObject(place) ? place[name] : undefined), root)
}

type Kind = 'object' | 'array' | 'number' | 'integer' | 'boolean' | 'null' | 'string'

function kindOf({ type, properties, items }: Json): Kind {
  const kind: unknown = Array.isArray(type) ? type[0] : type
  if (typeof kind === 'string' && kind in VALUES) return kind as Kind
  if (properties !== undefined) return 'object'
  return items === undefined ? 'string' : 'array'
}

const VALUES: Record<Kind, (schema: Json, making: Making) => unknown> = {
  object: objectFor,
  array: arrayFor,
  number: numberFor,
  integer: (schema, making) => Math.ceil(numberFor(schema, making)),
  boolean: () => true,
  null: () => null,
  string: textFor,
}

/** What is required; where nothing is said of that, all. */
function objectFor({ properties, required }: Json, making: Making): Json {
  const known = isObject(properties) ? properties : {}
  const names = Array.isArray(required) ? (required as string[]) : Object.keys(known)
  if (isEnough(making)) return {}
  return Object.fromEntries(names.map((name) => [name, valueOf(known[name], making)]))
}

function arrayFor({ items, minItems, maxItems }: Json, making: Making): unknown[] {
  if (isEnough(making) || maxItems === 0) return []
  const length = Math.min(Math.max(1, Number(minItems ?? 1)), 100)
  return Array.from({ length }, () => valueOf(items, making))
}

function numberFor(schema: Json, { prompt }: Making): number {
  const digits = /\d[\d,]*/.exec(prompt)?.[0].replaceAll(',', '').slice(0, 12)
  const least = Number(schema.minimum ?? above(schema.exclusiveMinimum, 1) ?? -Infinity)
  const most = Number(schema.maximum ?? above(schema.exclusiveMaximum, -1) ?? Infinity)
  return Math.min(Math.max(digits === undefined ? 1 : Number(digits), least), most)
}

function above(limit: unknown, step: number): number | undefined {
  return typeof limit === 'number' ? limit + step : undefined
}

const FORMATS: Record<string, string> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T08:00:00Z',
  time: '08:00:00Z',
  email: 'asha@example.com',
  uri: 'https://example.com/',
  uuid: '01900000-0000-7000-8000-000000000001',
}

function textFor({ format, minLength, maxLength }: Json, { prompt }: Making): string {
  const known = FORMATS[String(format)]
  if (known !== undefined) return known
  const text = factsOf(prompt).name ?? quote(prompt)
  return text.padEnd(Number(minLength ?? 0), '.').slice(0, Number(maxLength ?? Infinity))
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
