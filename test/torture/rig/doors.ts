import type { OpenApi, Schema } from '../../../src/http/docs/openapi.ts'

/** One operation of the service's own document, with a body and an address that could be right. */
export type Door = {
  method: string
  path: string
  dialect: 'envelope' | 'compatible' | 'both'
  credentials: ('key' | 'jwt')[]
  /** Names of what stands in the path and in the query. */
  places: { name: string; in: string }[]
  json: Schema | undefined
  multipart: boolean
}

/** By the contract, not by the code: what each route speaks when something is wrong. */
const COMPATIBLE = /^\/v1\/(chat\/completions|embeddings|audio\/|voice\/)/
const BOTH = /^\/v1\/(models|catalog|images\/|videos|documents\/|vision\/|video\/)/

export function doorsOf(document: OpenApi): Door[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Door => {
      const content = operation.requestBody?.content ?? {}
      const schema = content['application/json']?.schema
      return {
        method: method.toUpperCase(),
        path,
        dialect: COMPATIBLE.test(path) ? 'compatible' : BOTH.test(path) ? 'both' : 'envelope',
        credentials: operation.security.map((one) => ('apiKey' in one ? 'key' : 'jwt')),
        places: (operation.parameters ?? []).map(({ name, in: where }) => ({ name, in: where })),
        json: schema && resolve(schema, document),
        multipart: 'multipart/form-data' in content,
      }
    }),
  )
}

/** Where strings may stand in a body: `['messages', 0, 'content']`. */
type Spot = (string | number)[]

export function stringSpots(schema: Schema, spot: Spot = []): Spot[] {
  if (spot.length > 5) return []
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.flatMap((choice) => stringSpots(choice, spot))
  const own = isA(schema, 'string') ? [spot] : []
  const items = schema.items === undefined ? [] : stringSpots(schema.items, [...spot, 0])
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    stringSpots(member, [...spot, name]),
  )
  return [...own, ...items, ...members]
}

/** A body that might do: what is required, and the way to the given spot. */
export function sampleOf(schema: Schema, toward: Spot = []): unknown {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) {
    const way = choices.find((choice) => toward.length > 0 && leads(choice, toward[0]!))
    return sampleOf(way ?? choices[0]!, toward)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.properties !== undefined) {
    const names = new Set([...(schema.required ?? []), ...(toward.length > 0 ? [toward[0]] : [])])
    const members = Object.entries(schema.properties).filter(([name]) => names.has(name))
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        KNOWN[name] ?? sampleOf(member, name === toward[0] ? toward.slice(1) : []),
      ]),
    )
  }
  if (schema.items !== undefined) return [sampleOf(schema.items, toward.slice(1))]
  if (isA(schema, 'integer') || isA(schema, 'number')) return 1_000
  if (isA(schema, 'boolean')) return false
  return isA(schema, 'string') ? 'habari' : {}
}

export function placed(body: unknown, spot: Spot, value: unknown): unknown {
  const copy = structuredClone(body)
  let at = copy as Record<string | number, unknown>
  for (const step of spot.slice(0, -1)) {
    if (typeof at[step] !== 'object' || at[step] === null) at[step] = {}
    at = at[step] as Record<string | number, unknown>
  }
  if (spot.length === 0) return value
  at[spot.at(-1)!] = value
  return copy
}

/** Values with which a body gets past the first checks, so that others are reached. */
const KNOWN: Record<string, unknown> = {
  messages: [{ role: 'user', content: 'Habari' }],
  identifier: 'nobody@example.com',
  amount_tzs: 1_000,
}

function leads(schema: Schema, step: string | number): boolean {
  return typeof step === 'number' ? schema.items !== undefined : step in (schema.properties ?? {})
}

function isA(schema: Schema, type: string): boolean {
  return [schema.type].flat().includes(type)
}

/** References are followed once; nothing of ours is recursive but JSON schemas of tools. */
function resolve(schema: Schema, document: OpenApi, depth = 0): Schema {
  if (depth > 6) return {}
  const at = schema.$ref?.split('/').at(-1)
  const whole = at === undefined ? schema : (document.components.schemas[at] ?? {})
  const down = (one: Schema) => resolve(one, document, depth + 1)
  return {
    ...whole,
    ...(whole.items && { items: down(whole.items) }),
    ...(whole.anyOf && { anyOf: whole.anyOf.map(down) }),
    ...(whole.oneOf && { oneOf: whole.oneOf.map(down) }),
    ...(whole.properties && {
      properties: Object.fromEntries(
        Object.entries(whole.properties).map(([name, member]) => [name, down(member)]),
      ),
    }),
  }
}
