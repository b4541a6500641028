import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { route } from '../../../src/http/route.ts'
import { PASSWORD } from '../../support/accounts.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'
import { startServer } from '../../support/server.ts'

/* The operators' area on a host of its own, and against pages of other hosts. */

const OWN = 'ops.localhost:8443'
const PUBLIC = 'app.localhost'

let app: Awaited<ReturnType<typeof startApp>>
let owner: TestOperator
before(async () => {
  app = await startApp({
    env: { PUBLIC_URL: `https://${PUBLIC}`, OPERATOR_URL: `https://${OWN}` },
  })
  owner = await newOperator(app, 'owner')
})
after(() => app.close())

type Reply = { status: number; headers: Record<string, unknown>; text: string }

/** fetch() does not let a test choose the Host header. */
function ask(
  url: string,
  line: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Reply> {
  const [method, path] = line.split(' ') as [string, string]
  return new Promise((done, failed) => {
    const sent = request(url + path, { method, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () => done({ status: answer.statusCode!, headers: answer.headers, text }))
    })
    sent.on('error', failed)
    sent.end(body)
  })
}
const bearer = () => ({ authorization: `Bearer ${owner.token}` })

describe('OPERATOR_URL', () => {
  it('on its host the area is there; on every other there is nothing, signed in or not', async () => {
    const me = (host: string, more = {}) => ask(app.url, 'GET /v1/operator/me', { host, ...more })
    assert.equal((await me(OWN, bearer())).status, 200)
    assert.equal((await me(OWN.toUpperCase(), bearer())).status, 200)
    assert.equal((await me(OWN)).status, 401)
    const nowhere = await ask(app.url, 'GET /v1/nothing', { host: PUBLIC })
    const said = (reply: Reply) => JSON.parse(reply.text).message as string
    for (const host of [PUBLIC, 'ops.localhost', 'ops.localhost:80', '127.0.0.1']) {
      for (const more of [{}, bearer(), { authorization: 'Bearer nobody' }]) {
        const reply = await me(host, more)
        assert.deepEqual([reply.status, said(reply)], [404, said(nowhere)], host)
      }
    }
    const customers = await ask(app.url, 'GET /v1/catalog', { host: PUBLIC })
    assert.equal(customers.status, 200)
  })

  it('so it is for the pages below /operator', async () => {
    const page = (path: string) =>
      route({
        method: 'GET',
        path,
        summary: 'A page',
        tag: 'Console',
        credential: 'none',
        dialect: 'envelope',
        limit: 'none',
        handle: async () => ({ status: 200, headers: {}, body: 'a page' }),
      })
    const pages = ['/operator', '/operator/*', '/operators'].map(page)
    const server = await startServer({
      routes: pages,
      settings: { OPERATOR_URL: `https://${OWN}` },
    })
    const status = async (path: string, host: string) =>
      (await ask(server.url, `GET ${path}`, { host })).status
    for (const path of ['/operator', '/operator/payments']) {
      assert.deepEqual([await status(path, OWN), await status(path, PUBLIC)], [200, 404], path)
    }
    assert.equal(await status('/operators', PUBLIC), 200)
    await server.close()
  })

  it('a browser session belongs to the host it was opened on', async () => {
    const login = (host: string, origin: string) =>
      ask(
        app.url,
        'POST /v1/auth/login',
        { host, origin, 'content-type': 'application/json', 'x-mlango-session': 'cookie' },
        JSON.stringify({ identifier: owner.email, password: PASSWORD }),
      )
    assert.notEqual((await login(OWN, `https://${OWN}`)).status, 403)
    assert.notEqual((await login(PUBLIC, `https://${PUBLIC}`)).status, 403)
    assert.equal((await login(OWN, `https://${PUBLIC}`)).status, 403)
    assert.equal((await login(PUBLIC, `https://${OWN}`)).status, 403)
    assert.equal((await login(OWN, 'https://evil.example')).status, 403)
  })
})

describe('pages of others', () => {
  it('CSRF: a cookie opens no route of operators, whatever a form sends', async () => {
    const cookie = { host: OWN, cookie: '__Host-mlango_refresh=anything; session=1' }
    const form = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://evil.example',
    }
    const routes = app.rooms.server.context.routes.filter((one) => one.credential === 'operator')
    assert.ok(routes.length > 30)
    for (const { method, path } of routes) {
      const line = `${method} ${path.replaceAll(/:\w+|\*/g, 'x')}`
      const reply = await ask(app.url, line, { ...cookie, ...form })
      assert.equal(reply.status, 401, line)
      assert.equal(reply.headers['access-control-allow-origin'], undefined, line)
      assert.equal(reply.headers['set-cookie'], undefined, line)
    }
  })

  it('CSRF: another origin gets no access token out of the cookie, and no leave to ask', async () => {
    const refresh = (more: Record<string, string>) =>
      ask(
        app.url,
        'POST /v1/auth/refresh',
        { host: OWN, cookie: '__Host-mlango_refresh=anything', ...more },
        '{}',
      )
    const json = { 'content-type': 'application/json' }
    const asked = { ...json, 'x-mlango-session': 'cookie' }
    assert.equal((await refresh({ ...asked, origin: 'https://evil.example' })).status, 403)
    const sameSite = { origin: `https://${OWN}`, 'sec-fetch-site': 'cross-site' }
    assert.equal((await refresh({ ...asked, ...sameSite })).status, 403)
    assert.ok((await refresh({ ...json, origin: 'https://evil.example' })).status >= 400)
    const preflight = await ask(app.url, 'OPTIONS /v1/operator/me', {
      host: OWN,
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    })
    assert.equal(preflight.status, 404)
    assert.equal(preflight.headers['access-control-allow-origin'], undefined)
  })

  it('framing: no answer of the area may be shown inside another page', async () => {
    for (const line of [
      'GET /v1/operator/me',
      'GET /operator',
      'GET /operator/payments',
      'GET /app',
    ]) {
      const { headers } = await ask(app.url, line, { host: OWN, ...bearer() })
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/, line)
    }
  })
})
