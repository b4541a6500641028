import { createHash } from 'node:crypto'
import { z } from 'zod'
import { docsPage, docsStyleHash } from './docs/page.ts'
import { openApiDocument } from './docs/openapi.ts'
import type { HallwaySettings } from './plan.ts'
import { route, type Call, type Result, type Route } from './route.ts'

/** Doors that belong to the hallway itself: liveness, and the papers made from the one list. */
export function ownRoutes(routes: Route[], settings: HallwaySettings): Route[] {
  const documented = [...routes, health]
  // Made when first asked for: a start need not pay for it.
  const document = once(() => openApiDocument(documented, settings))
  const json = once(async () => paper(JSON.stringify(await document()), 'application/json'))
  const page = once(async () => paper(docsPage(await document()), 'text/html; charset=utf-8'))
  return [
    health,
    route({
      ...open,
      path: '/v1/openapi.json',
      summary: 'This interface as an OpenAPI 3.1 document',
      tag: 'Documents',
      handle: async (call) => answer(call, await json()),
    }),
    route({
      ...open,
      path: '/docs',
      summary: 'This interface as a page to read',
      tag: 'Documents',
      handle: async (call) => {
        const read = await page()
        return answer(call, { ...read, headers: { ...read.headers, ...PAGE_POLICY } })
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
  summary: 'Liveness of the process',
  tag: 'Health',
  response: z.object({ alive: z.literal(true) }),
  handle: async () => ({ data: { alive: true } }),
})

/** Nothing runs and nothing is fetched: the page is text and one known style. */
const PAGE_POLICY = {
  'content-security-policy':
    `default-src 'none'; style-src '${docsStyleHash}'; base-uri 'none'; ` +
    `form-action 'none'; frame-ancestors 'none'`,
}

type Paper = { headers: Record<string, string>; body: Buffer }

function paper(text: string, type: string): Paper {
  const body = Buffer.from(text)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 24)}"`
  return { headers: { 'content-type': type, etag, 'cache-control': 'no-cache' }, body }
}

function answer(call: Call<undefined, undefined, undefined>, { headers, body }: Paper): Result {
  const known = call.headers['if-none-match'] === headers.etag
  return known ? { status: 304, headers, body: '' } : { status: 200, headers, body }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
