import { USUAL_NUMBERS, USUAL_TEXTS } from './usual-examples.ts'
import { replyOf, type OpenApi, type Schema } from './openapi-document.ts'

/**
 * Puts an example of each request and each good answer into the document, but for bytes; of a
 * stream, the data of one event. It is made of the examples of the fields, so that no example can
 * disagree with its schema.
 */
export function addExamples(document: OpenApi): void {
  const { schemas } = document.components
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 300)
    const contents = [
      operation.requestBody?.content,
      ...good.map(([, reply]) => replyOf(document, reply).content),
    ]
    for (const one of contents.flatMap((content) => Object.values(content ?? {}))) {
      if (one.schema.format !== 'binary') one.example = exampleOf(one.schema, '', schemas)
    }
  }
}

type Schemas = Record<string, Schema>

function exampleOf(schema: Schema, name: string, schemas: Schemas): unknown {
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split('/').at(-1)!]!, name, schemas)
  if (schema.example !== undefined) return schema.example
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return exampleOf(choices[0]!, name, schemas)
  return plainExample(schema, name, schemas)
}

function plainExample(schema: Schema, name: string, schemas: Schemas): unknown {
  switch ([schema.type].flat()[0]) {
    case 'object':
      return objectExample(schema, schemas)
    case 'array':
      return schema.items ? [exampleOf(schema.items, singular(name), schemas)] : []
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return USUAL_NUMBERS[name] ?? schema.minimum ?? 1
    case 'string':
      return FORMATS[schema.format ?? ''] ?? USUAL_TEXTS[name] ?? 'text'
    default:
      return {}
  }
}

/** With the members that must be there and those that have an example, else with the first one. */
function objectExample({ properties = {}, required = [] }: Schema, schemas: Schemas): unknown {
  const all = Object.entries(properties)
  const shown = all.filter(
    ([name, member]) => required.includes(name) || member.example !== undefined,
  )
  return Object.fromEntries(
    (shown.length > 0 ? shown : all.slice(0, 1)).map(([name, member]) => [
      name,
      exampleOf(member, name, schemas),
    ]),
  )
}

const singular = (name: string) => name.replace(/s(?=_|$)/, '')

const FORMATS: Record<string, string> = {
  uuid: '01900000-0000-7000-8000-000000000001',
  guid: '01900000-0000-7000-8000-000000000001',
  'date-time': '2026-01-31T08:00:00.000Z',
  date: '2026-01-31',
  email: 'asha@example.com',
  uri: 'https://example.com/picture.png',
}
