import type { OpenApi, Schema } from '../../../src/http/docs/openapi-document.ts'

/** One operation of the service's own OpenAPI document: what a test needs to call it. */
export type Operation = {
  method: string
  path: string
  dialect: 'envelope' | 'compatible' | 'both' | 'messages'
  credentials: ('key' | 'jwt')[]
  /** Parameters in the path, the query and the headers. */
  parameters: { name: string; in: string }[]
  json: Schema | undefined
  multipart: boolean
}

/** Which error format each route answers in: by the contract, not by the code. */
const COMPATIBLE = /^\/v1\/((?:chat\/)?completions|responses|embeddings|audio\/|voice\/)/
const BOTH = /^\/v1\/(models|catalog|images\/|videos|documents\/|vision\/|video\/)/

const MESSAGES = /^\/v1\/messages/

export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Operation => {
      const content = operation.requestBody?.content ?? {}
      const schema = content['application/json']?.schema
      return {
        method: method.toUpperCase(),
        path,
        dialect: dialectOf(path),
        credentials: operation.security.map((one) => ('apiKey' in one ? 'key' : 'jwt')),
        parameters: (operation.parameters ?? []).map(({ name, in: where }) => ({
          name,
          in: where,
        })),
        json: schema && resolve(schema, document),
        multipart: 'multipart/form-data' in content,
      }
    }),
  )
}

function dialectOf(path: string): Operation['dialect'] {
  if (MESSAGES.test(path)) return 'messages'
  if (COMPATIBLE.test(path)) return 'compatible'
  return BOTH.test(path) ? 'both' : 'envelope'
}

/** Where strings may stand in a body: `['messages', 0, 'content']`. */
type FieldPath = (string | number)[]

export function stringFields(schema: Schema, path: FieldPath = []): FieldPath[] {
  if (path.length > 5) return []
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.flatMap((choice) => stringFields(choice, path))
  const own = isA(schema, 'string') ? [path] : []
  const items = schema.items === undefined ? [] : stringFields(schema.items, [...path, 0])
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    stringFields(member, [...path, name]),
  )
  return [...own, ...items, ...members]
}

/** A body that may be accepted: what is required, and what leads to the given path. */
export function sampleOf(schema: Schema, toward: FieldPath = []): unknown {
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

export function withValue(body: unknown, path: FieldPath, value: unknown): unknown {
  const copy = structuredClone(body)
  let at = copy as Record<string | number, unknown>
  for (const step of path.slice(0, -1)) {
    if (typeof at[step] !== 'object' || at[step] === null) at[step] = {}
    at = at[step] as Record<string | number, unknown>
  }
  if (path.length === 0) return value
  at[path.at(-1)!] = value
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
