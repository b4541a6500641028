import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { replyOf, type OpenApi } from '../../src/http/docs/openapi-document.ts'
import { route } from '../../src/http/route.ts'
import { startServer } from '../support/server.ts'

const plain = { tag: 'Things & <b>', credential: 'either', limit: 'principal' } as const
const routes = [
  route({
    ...plain,
    method: 'POST',
    path: '/v1/things/:id/parts',
    summary: 'Make a <script>alert(1)</script> part',
    dialect: 'compatible',
    paid: true,
    replay: true,
    body: z.object({
      name: z.string().meta({ description: 'What to call it' }),
      n: z.int().nullish(),
    }),
    response: z.object({ made: z.array(z.object({ at: z.string() })) }),
    handle: async () => ({ data: {} }),
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/v1/things/*',
    summary: 'One thing',
    credential: 'key',
    dialect: 'both',
    query: z.object({ q: z.string().optional() }),
    handle: async () => ({ data: {} }),
  }),
  route({
    ...plain,
    method: 'GET',
    path: '/v1/sound',
    summary: 'A sound',
    credential: 'jwt',
    dialect: 'envelope',
    answerType: 'audio/mpeg',
    handle: async () => ({ data: {} }),
  }),
]

let service: Awaited<ReturnType<typeof startServer>>
before(async () => {
  service = await startServer({ routes, settings: { PUBLIC_URL: 'https://api.example' } })
})
after(() => service.close())

test('the OpenAPI document comes from the list of routes', async () => {
  const response = await fetch(`${service.url}/v1/openapi.json`)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type')!, /^application\/json/)
  const document = (await response.json()) as OpenApi & { openapi: string }
  assert.equal(document.openapi, '3.1.0')
  assert.deepEqual(document.servers, [{ url: 'https://api.example' }])
  assert.deepEqual(Object.keys(document.paths), [
    '/v1/things/{id}/parts',
    '/v1/things/{id}',
    '/v1/sound',
    '/healthz',
    '/readyz',
  ])
  const make = document.paths['/v1/things/{id}/parts']!.post!
  assert.deepEqual(make.security, [{ apiKey: [] }, { accessToken: [] }])
  assert.deepEqual(
    make.parameters!.map((one) => [one.name, one.in]),
    [
      ['id', 'path'],
      ['Idempotency-Key', 'header'],
    ],
  )
  const body = make.requestBody!.content['application/json']!.schema
  assert.deepEqual(body.required, ['name'])
  assert.ok('402' in make.responses && '409' in make.responses && '413' in make.responses)
  const refs = (path: string, method: string) =>
    replyOf(document, document.paths[path]![method]!.responses['400']!).content![
      'application/json'
    ]!.schema.$ref
  assert.equal(refs('/v1/things/{id}/parts', 'post'), '#/components/schemas/CompatibleError')
  assert.equal(refs('/v1/things/{id}', 'get'), '#/components/schemas/ErrorEnvelopeWithObject')
  assert.equal(refs('/v1/sound', 'get'), '#/components/schemas/ErrorEnvelope')
  const sound = replyOf(document, document.paths['/v1/sound']!.get!.responses['200']!)
  assert.ok(sound.content!['audio/mpeg'])
  for (const ref of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(document.components.schemas[ref[1]!], ref[1])
  }
})

test('the page needs no script and nothing from elsewhere, and escapes what it shows', async () => {
  const response = await fetch(`${service.url}/docs`)
  assert.equal(response.status, 200)
  const html = await response.text()
  const policy = response.headers.get('content-security-policy')!
  assert.match(policy, /default-src 'none'; style-src 'sha256-[^']+'/)
  assert.doesNotMatch(policy, /unsafe|script-src|https?:/)
  assert.doesNotMatch(html, /<script|<img|<link|src=|@import|style="/)
  assert.match(html, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/)
  assert.match(html, /Things &amp; &lt;b&gt;/)
  assert.match(html, /name="viewport"/)
  assert.match(html, /<code>made\[\]\.at<\/code>/)
  assert.match(html, /What to call it/)
  assert.match(html, /https:\/\/api\.example\/v1/)
  for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) {
    assert.ok(html.includes(`id="${id}"`), id)
  }
})

test('the documents can be cached: 304 when unchanged', async () => {
  for (const path of ['/docs', '/v1/openapi.json']) {
    const first = await fetch(service.url + path)
    const etag = first.headers.get('etag')!
    const again = await fetch(service.url + path, { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    assert.equal(await again.text(), '')
  }
})
