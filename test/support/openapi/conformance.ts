import assert from 'node:assert/strict'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { replyOf, type OpenApi, type Reply } from '../../../src/http/docs/openapi-document.ts'
import { openApiDocument } from '../../../src/http/docs/openapi.ts'
import { openApiPath } from '../../../src/http/docs/openapi-requests.ts'
import type { Route } from '../../../src/http/route.ts'
import type { Loose } from '../loose.ts'

type Sample = { route: Route; status: number; headers: Record<string, string>; text: string }

/** So many answers of one route and status are compared; the rest look like them. */
const MOST_ALIKE = 30
const LARGEST_BYTES = 500_000

/**
 * Notes what a server answers, whoever asks, and holds it against the OpenAPI document: each status,
 * media type, header and body must be there, and a body may have no member that is not.
 */
export function watchAnswers(server: Server, routes: readonly Route[]) {
  const find = finder(routes)
  const samples: Sample[] = []
  const seen = new Map<string, number>()
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const route = find(request)
    // Whoever names members of a model gets no others: the document says so in words.
    if (route === undefined || /[?&]fields=/.test(request.url!)) return
    gather(response, (text) => {
      const key = `${route.method} ${route.path} ${response.statusCode}`
      const alike = seen.get(key) ?? 0
      seen.set(key, alike + 1)
      if (alike >= MOST_ALIKE) return
      const headers = response.getHeaders() as Record<string, string>
      samples.push({ route, status: response.statusCode, headers: { ...headers }, text })
    })
  })
  return {
    /** The routes that gave a good answer, as the document names them. */
    answered: () =>
      new Set(samples.filter(({ status }) => status < 400).map(({ route }) => documentName(route))),
    async check() {
      const answered = [...new Set(samples.map(({ route }) => route))]
      const judge = judgeOf(await openApiDocument(answered, undefined))
      const wrong = new Set(samples.flatMap(judge).map((why) => why.replaceAll(IDS, '…')))
      assert.deepEqual([...wrong], [], 'answers that the OpenAPI document does not describe')
    },
  }
}

const documentName = ({ method, path }: Route) => `${method} ${openApiPath(path)}`

/** So that the same trouble is told once. */
const IDS = /req_\w{24}/g

function finder(routes: readonly Route[]): (request: IncomingMessage) => Route | undefined {
  const known = routes
    .filter((route) => route.tag !== 'Documents' && route.refusesAll !== true)
    .map((route) => ({ route, path: patternOf(route.path) }))
    // Like the router: a fixed segment goes before a parameter, that before the rest of a path.
    .sort((a, b) => rank(a.route.path) - rank(b.route.path))
  return ({ method, url = '' }) => {
    const path = url.split('?')[0]!
    return known.find((one) => one.route.method === method && one.path.test(path))?.route
  }
}

const rank = (path: string) => (path.includes('*') ? 100 : path.split(':').length)
const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replace('*', '.+')}$`)

/** The whole body, once it has been sent. */
function gather(response: ServerResponse, done: (text: string) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  const note = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    bytes += chunk.length
    if (bytes <= LARGEST_BYTES) chunks.push(Buffer.from(chunk as string))
  }
  const { write, end } = response
  response.write = function (this: ServerResponse, ...args: unknown[]) {
    note(args[0])
    return write.apply(this, args as Parameters<typeof write>)
  } as typeof write
  response.end = function (this: ServerResponse, ...args: unknown[]) {
    note(args[0])
    return end.apply(this, args as Parameters<typeof end>)
  } as typeof end
  response.once('finish', () => {
    done(bytes <= LARGEST_BYTES ? Buffer.concat(chunks).toString() : '')
  })
}

/** The headers of ours: what HTTP itself has is not described. */
const OURS =
  /^(x-(?!content-type)|anthropic-|retry-after|request-id|idempotency-|www-authenticate|location|etag|content-range|accept-ranges)/

function judgeOf(document: OpenApi): (sample: Sample) => string[] {
  const isRight = validator(document)
  return ({ route, status, headers, text }) => {
    const name = `${route.method} ${route.path}`
    const operation = document.paths[openApiPath(route.path)]![route.method.toLowerCase()]!
    const described = operation.responses[status]
    if (described === undefined) return [`${name}: ${status} ${text.slice(0, 200)}`]
    const reply = replyOf(document, described)
    const known = new Set(Object.keys(reply.headers).map((header) => header.toLowerCase()))
    const strange = Object.keys(headers).filter((header) => OURS.test(header) && !known.has(header))
    return [
      ...strange.map((header) => `${name}: ${status} has the header ${header}`),
      ...bodyTroubles(reply, { headers, text }, isRight).map((why) => `${name}: ${status} ${why}`),
    ]
  }
}

type IsRight = (schema: object, value: unknown) => string | undefined

function bodyTroubles(
  { content = {} }: Reply,
  { headers, text }: Pick<Sample, 'headers' | 'text'>,
  isRight: IsRight,
): string[] {
  const type = headers['content-type']?.replace(/; charset=utf-8$/, '')
  if (type === undefined || text === '') return []
  const described = content[type] ?? content[`${type}; charset=utf-8`]
  if (described === undefined) return [`is ${type}`]
  if (headers['content-encoding'] !== undefined) return []
  const values =
    type === 'text/event-stream'
      ? eventsOf(text)
      : type === 'application/json'
        ? [JSON.parse(text) as unknown]
        : []
  return values.flatMap((value) => {
    const why = isRight(described.schema, value)
    return why === undefined ? [] : [`${why} in ${JSON.stringify(value).slice(0, 300)}`]
  })
}

function eventsOf(text: string): unknown[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: '))
  return data
    .map((line) => line.slice('data: '.length))
    .filter((line) => line !== '[DONE]')
    .map((line) => JSON.parse(line) as unknown)
}

/** Stricter than the document: what it does not name must not be there. */
function validator(document: OpenApi): IsRight {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  addFormats.default(ajv)
  const { schemas } = closed(document.components)
  ajv.addSchema({ $id: 'document', components: { schemas } })
  const compiled = new Map<object, ReturnType<typeof ajv.compile>>()
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(JSON.parse(withBase(closed(schema))))
    compiled.set(schema, validate)
    return validate(value) ? undefined : ajv.errorsText(validate.errors?.slice(0, 3))
  }
}

const withBase = (schema: object) =>
  JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')

/** Every object with members that does not say that it has more has no more. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value as unknown)]),
  ) as Loose
  const isObject = copy.type === 'object' && !('additionalProperties' in copy)
  return (isObject ? { ...copy, additionalProperties: false } : copy) as T
}
