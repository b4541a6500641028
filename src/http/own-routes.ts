import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../lib/failure.ts'
import { docsPage, docsStyleHash } from './docs/page.ts'
import { openApiDocument } from './docs/openapi.ts'
import { matchesEtag } from './headers.ts'
import { route, type Call, type Result, type Route } from './route.ts'
import { securityTxt } from './security-txt.ts'

/** Names the parts that are missing and without which no call can be served. */
export type MissingParts = () => Promise<readonly string[]>

/** The server's own routes: liveness, readiness, and the reference made from the list of routes. */
export function ownRoutes(
  routes: Route[],
  about: { publicUrl: string | undefined; contact: string | undefined; missing: MissingParts },
): Route[] {
  const { publicUrl, missing } = about
  const ready = readiness(missing)
  // The routes of operators are not in the public reference.
  const documented = [...routes.filter((one) => one.credential !== 'operator'), health, ready]
  // Made when first asked for, so that a start does not pay for it.
  const document = once(() => openApiDocument(documented, publicUrl))
  const json = once(async () => page(JSON.stringify(await document()), 'application/json'))
  const html = once(async () => page(docsPage(await document()), 'text/html; charset=utf-8'))
  return [
    health,
    ready,
    ...securityTxt(about),
    route({
      ...open,
      path: '/v1/openapi.json',
      summary: 'Read this API as an OpenAPI 3.1 document',
      tag: 'Documents',
      handle: async (call) => answer(call, await json()),
    }),
    route({
      ...open,
      path: '/docs',
      summary: 'Read the API reference',
      tag: 'Documents',
      handle: async (call) => {
        const { headers, body } = await html()
        return answer(call, { headers: { ...headers, ...PAGE_POLICY }, body })
      },
    }),
  ]
}

const open = {
  method: 'GET',
  credential: 'none',
  dialect: 'envelope',
  limit: 'none',
} as const

/** Liveness: touches nothing but the process. */
const health = route({
  ...open,
  path: '/healthz',
  summary: 'Check that the process is alive',
  description: 'Touches nothing but the process.',
  tag: 'Health',
  response: z.object({ alive: z.literal(true) }),
  handle: async () => ({ data: { alive: true } }),
})

/** Readiness: whether calls should be sent here. It names what is missing, never where it is. */
const readiness = (missing: MissingParts) =>
  route({
    ...open,
    path: '/readyz',
    summary: 'Check that the process can serve calls',
    description: '503 names what is missing.',
    tag: 'Health',
    response: z.object({ ready: z.literal(true) }),
    handle: async () => {
      const names = await missing()
      if (names.length === 0) return { data: { ready: true } }
      const reasons = names.map((name) => NOT_READY[name] ?? name).join(', ')
      throw new Failure('unavailable', `Not ready: ${reasons}.`, { retryAfterS: 2 })
    },
  })

const NOT_READY: Record<string, string> = {
  process: 'the process is stopping',
  database: 'the database does not answer',
  catalog: 'the catalog has no models yet',
}

/** Nothing runs and nothing is fetched: the page is text and one known style. */
const PAGE_POLICY = {
  'content-security-policy':
    `default-src 'none'; style-src '${docsStyleHash}'; base-uri 'none'; ` +
    `form-action 'none'; frame-ancestors 'none'`,
}

type Page = { headers: Record<string, string> & { etag: string }; body: Buffer }

function page(text: string, type: string): Page {
  const body = Buffer.from(text)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 24)}"`
  return { headers: { 'content-type': type, etag, 'cache-control': 'no-cache' }, body }
}

function answer(call: Call<undefined, undefined, undefined>, { headers, body }: Page): Result {
  const known = matchesEtag(call.headers['if-none-match'], headers.etag)
  return known ? { status: 304, headers, body: '' } : { status: 200, headers, body }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
