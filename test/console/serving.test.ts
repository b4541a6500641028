import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { buildConsole } from '../../src/web/build.ts'
import { consolePages } from '../../src/web/console.ts'
import { consoleFolders, type ConsoleFolders } from '../../src/web/folders.ts'
import { priceTable } from '../../src/web/price-table.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startApp } from '../support/app.ts'
import { startServer } from '../support/server.ts'
import { buildPages } from './support/build-pages.ts'

let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  await buildPages()
  app = await startApp()
})
after(() => app.close())

const noPrices = () => ({ json: '[]', etag: '' })

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(app.url + path, { headers, redirect: 'manual' })

test('a page may run, load, frame and send nothing but our own', async () => {
  for (const path of [
    '/',
    '/models',
    '/login',
    '/app',
    '/app/keys',
    '/operator',
    '/operator/log',
    '/guides/none',
  ]) {
    const { headers } = await get(path)
    const policy = new Map(
      headers
        .get('content-security-policy')!
        .split('; ')
        .map((part) => [part.split(' ')[0]!, part.split(' ').slice(1).join(' ')]),
    )
    assert.deepEqual(Object.fromEntries(policy), {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      'img-src': "'self' data: blob:",
      'media-src': "'self' blob:",
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    })
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  }
})

test('pages are asked for anew each time; files, named by their content, never again', async () => {
  const page = await get('/')
  assert.equal(page.headers.get('cache-control'), 'no-cache')
  assert.match(page.headers.get('vary')!, /Cookie/)
  const again = await get('/', { 'if-none-match': page.headers.get('etag')! })
  assert.equal(again.status, 304)
  const html = await page.text()
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  assert.ok(files.length >= 3, html)
  for (const path of files) {
    const file = await get(path)
    assert.equal(file.status, 200, path)
    assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  }
  assert.equal((await get('/favicon.svg')).headers.get('cache-control'), 'no-cache')
})

test('what the browser can unpack is sent packed, and is the same', async () => {
  const html = await (await get('/')).text()
  const script = /src="(\/assets\/main[^"]+)"/.exec(html)![1]!
  for (const path of ['/', script]) {
    const plain = await bytesOf(path, 'identity')
    assert.equal(plain.encoding, undefined)
    const packed = {
      br: await bytesOf(path, 'gzip, br'),
      gzip: await bytesOf(path, 'gzip;q=0.5, br;q=0'),
    }
    assert.deepEqual([packed.br.encoding, packed.gzip.encoding], ['br', 'gzip'])
    assert.ok(brotliDecompressSync(packed.br.body).equals(plain.body), path)
    assert.ok(gunzipSync(packed.gzip.body).equals(plain.body), path)
    assert.ok(packed.br.body.length < plain.body.length)
  }
})

/** Unlike fetch, which unpacks. */
async function bytesOf(path: string, accept: string) {
  const asked = request(app.url + path, { headers: { 'accept-encoding': accept } }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { encoding: answer.headers['content-encoding'], body: await buffer(answer) }
}

test('language and theme come from cookies, and nothing else does', async () => {
  const root = async (cookie: string) =>
    /<html[^>]*>/.exec(await (await get('/models', { cookie })).text())![0]
  assert.equal(await root(''), '<html lang="sw" data-theme="system">')
  assert.equal(await root('mlango_language=en'), '<html lang="en" data-theme="system">')
  assert.equal(
    await root('a=b; mlango_theme=dark; mlango_language=en'),
    '<html lang="en" data-theme="dark">',
  )
  for (const bad of ['"><script>', 'fr', '__proto__', '']) {
    const cookie = `mlango_theme=${bad}; mlango_language=${bad}`
    assert.equal(await root(cookie), '<html lang="sw" data-theme="system">', bad)
  }
  // Phones come set to English.
  const page = await get('/', { 'accept-language': 'en-US,en' })
  assert.match(await page.text(), /<html lang="sw"/)
})

test('prices can be read without a script, in both languages, and only as text', async () => {
  const sw = await (await get('/models')).text()
  assert.match(sw, /sim\/hekima<\/code>[^]*tokeni milioni unazotuma/)
  assert.doesNotMatch(sw, /%prices%/)
  const en = await (await get('/models', { cookie: 'mlango_language=en' })).text()
  assert.match(en, /million tokens sent/)
  const hostile = [{ id: '"><img src=x>', name: '<script>', pricing_credits: { prompt: 2e-7 } }]
  const tier = { above_prompt_tokens: 200_000, prompt: 4e-7 }
  const tiers = [{ id: 'a', name: 'A', pricing_credits: { prompt: 2e-7, tiers: [tier] } }]
  assert.match(
    priceTable({ json: JSON.stringify(tiers), etag: '' }, 'sw'),
    /0\.2 [^<]*<br>Ukituma zaidi ya tokeni 200,000:<br>0\.4 /,
  )
  const table = priceTable({ json: JSON.stringify(hostile), etag: '' }, 'en')
  assert.doesNotMatch(table, /<script|<img/)
  assert.match(table, /0\.2 \/ million tokens sent/)
})

test('every address of the app gives the app; unknown pages are 404 in words', async () => {
  for (const path of ['/app', '/app/', '/app/billing/topup/x', '/app/%F0%9F%98%80']) {
    const page = await get(path)
    assert.equal(page.status, 200, path)
    assert.match(await page.text(), /<div id="root"><\/div>/)
  }
  const none = await get('/guides/none')
  assert.equal(none.status, 404)
  assert.match(await none.text(), /Ukurasa haupo/)
  for (const path of [
    '/assets/none.js',
    '/assets/../pages.json',
    '/assets/..%2fpages.json',
    '/nowhere',
  ]) {
    assert.equal((await get(path)).status, 404, path)
  }
})

test('the API is not shadowed', async () => {
  const pages = consolePages(consoleFolders('.'), noPrices).map((route) => route.path)
  const routes = app.rooms.server.context.routes.map((route) => route.path)
  assert.deepEqual(
    routes.filter((path) => pages.includes(path)),
    [],
  )
  assert.ok(pages.every((path) => !path.startsWith('/v1')))
  for (const path of ['/v1/none', '/v1', '/none']) {
    const { status, headers } = await get(path)
    assert.equal(status, 404)
    assert.match(headers.get('content-type')!, /json/)
  }
  const posted = await fetch(`${app.url}/login`, { method: 'POST' })
  assert.equal(posted.status, 405)
  assert.equal((await get('/docs')).status, 200)
})

test('while the pages are built, and when that fails, the visitor is told; a later start tries again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mlango-pages-'))
  const folders: ConsoleFolders = { hash: 'abc', places: [join(folder, 'none'), folder] }
  const server = await startServer({ routes: consolePages(folders, noPrices) })
  const shown = async () => {
    const answer = await fetch(`${server.url}/`)
    return { status: answer.status, body: await answer.text() }
  }
  const waiting = await shown()
  assert.equal(waiting.status, 503)
  assert.match(waiting.body, /http-equiv="refresh"[^]*Kurasa zinaandaliwa/)
  const builder = join(folder, 'broken.mjs')
  writeFileSync(builder, `console.error('no such word'); process.exit(1)`)
  const said: string[] = []
  const log = {
    ...silentLog,
    error: (_: string, fields?: { error?: unknown }) => said.push(String(fields?.error)),
  }
  await buildConsole({ folders, log, builder }).done
  assert.match(said.join(), /no such word/)
  const failed = await shown()
  assert.equal(failed.status, 503)
  assert.match(failed.body, /could not be built/)
  assert.doesNotMatch(failed.body, /refresh|no such word/)
  await buildConsole({ folders, log: silentLog }).done
  assert.equal((await shown()).status, 200)
  await server.close()
  rmSync(folder, { recursive: true })
})
