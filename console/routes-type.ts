import { readConfig } from '../src/config.ts'
import {
  replyOf,
  type OpenApi,
  type Operation,
  type Schema,
} from '../src/http/docs/openapi-document.ts'
import { openApiDocument } from '../src/http/docs/openapi.ts'
import { allRoutes, type Services } from '../src/routes/index.ts'

/** The API's routes as one type, for the console's client: no database and no port is needed. */
export async function routesType(): Promise<string> {
  const document = await openApiDocument(allRoutes(nobody()), undefined)
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      return `  '${method.toUpperCase()} ${path}': ${routeType(operation, document)}`
    }),
  )
  return `// Written by \`npm run console:routes\` from the list of routes. Do not edit.\nexport type Documented = {\n${routes.join('\n')}\n}\n`
}

/** The list of routes uses its services only when a request comes. */
function nobody(): Services {
  const anything: unknown = new Proxy(() => {}, { get: () => anything, apply: () => anything })
  const services = anything as Services
  return new Proxy(services, { get: (_, name) => (name === 'config' ? readConfig({}) : anything) })
}

function routeType(operation: Operation, document: OpenApi): string {
  const query = (operation.parameters ?? []).filter((one) => one.in === 'query')
  const members = query.map(({ name, required, schema }) => {
    const type = schema.enum ? typeOf(schema, document) : 'string | number | boolean'
    return `${JSON.stringify(name)}${required === true ? '' : '?'}: ${type}`
  })
  const body = operation.requestBody?.content['application/json']?.schema
  const good = Object.entries(operation.responses).find(([status]) => Number(status) < 400)!
  const answer = replyOf(document, good[1]).content?.['application/json']?.schema
  return `{ query: { ${members.join('; ')} }; body: ${body ? typeOf(body, document) : 'undefined'}; answer: ${answer ? typeOf(answer, document) : 'Blob'} }`
}

function typeOf(schema: Schema, document: OpenApi): string {
  if (schema.$ref)
    return typeOf(document.components.schemas[schema.$ref.split('/').at(-1)!]!, document)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map((one) => `(${typeOf(one, document)})`).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  const types = [schema.type ?? []].flat()
  return types.map((type) => plainType(type, schema, document)).join(' | ') || 'unknown'
}

function plainType(type: string, schema: Schema, document: OpenApi): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return `(${schema.items ? typeOf(schema.items, document) : 'unknown'})[]`
  if (type !== 'object') return type
  const members = Object.entries(schema.properties ?? {}).map(([name, one]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    const type = typeOf(one, document)
    // With anything else, `unknown` is still unknown.
    const missing = mark && type !== 'unknown' ? ' | undefined' : ''
    return `${JSON.stringify(name)}${mark}: ${type}${missing}`
  })
  const more = (schema as { additionalProperties?: Schema | boolean }).additionalProperties
  if (members.length === 0 && typeof more === 'object')
    return `Record<string, ${typeOf(more, document)}>`
  const open = more === true || typeof more === 'object' ? ' & Record<string, unknown>' : ''
  return `{ ${members.join('; ')} }${open}`
}
