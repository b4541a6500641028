import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { sendRaw, statusesOf } from '../support/raw-http.ts'

let app: Awaited<ReturnType<typeof startApp>>
let key: string
let port: number
before(async () => {
  app = await startApp({ env: { TRUST_PROXY: 'on' } })
  ;({ key } = await app.customer())
  port = Number(new URL(app.url).port)
})
after(() => app.close())

const body = '{"model":"none/such","messages":[{"role":"user","content":"a"}]}'

type Head = { line?: string; headers?: Record<string, string> }

function request({ line = 'POST /v1/chat/completions', headers = {} }: Head): string {
  const all = {
    host: 'x',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** What a head is full of, by the part of it. The length is what is left of 16 KiB. */
const hostile: Record<string, (filling: string) => Head> = {
  'Content-Type': (filling) => ({ headers: { 'content-type': `application/json${filling}x` } }),
  'Content-Type with a parameter': (filling) => ({
    headers: { 'content-type': `application/json; charset=${filling}"` },
  }),
  'multipart Content-Type': (filling) => ({
    line: 'POST /v1/audio/transcriptions',
    headers: { 'content-type': `multipart/form-data; boundary=${filling}"` },
  }),
  Authorization: (filling) => ({ headers: { authorization: `Bearer ${filling}` } }),
  'a token': (filling) => ({ headers: { authorization: `Bearer eyJ.${filling}` } }),
  'Idempotency-Key': (filling) => ({ headers: { 'idempotency-key': filling } }),
  'If-None-Match': (filling) => ({
    line: 'GET /v1/models',
    headers: { 'if-none-match': `W/"${filling}` },
  }),
  Range: (filling) => ({
    line: 'GET /v1/videos/01900000-0000-7000-8000-000000000001/content',
    headers: { range: `bytes=${filling}` },
  }),
  Cookie: (filling) => ({ line: 'GET /v1/auth/google/callback', headers: { cookie: filling } }),
  'User-Agent': (filling) => ({ line: 'POST /v1/auth/login', headers: { 'user-agent': filling } }),
  'X-Forwarded-For': (filling) => ({
    line: 'POST /v1/auth/login',
    headers: { 'x-forwarded-for': filling },
  }),
  Origin: (filling) => ({ line: 'OPTIONS /v1/models', headers: { origin: filling } }),
  path: (filling) => ({ line: `GET /v1/models/${path(filling)}` }),
  parameter: (filling) => ({ line: `GET /v1/payments/${path(filling)}` }),
  query: (filling) => ({ line: `GET /v1/catalog?q=${path(filling)}` }),
  'query names': (filling) => ({ line: `GET /v1/activity?${path(filling)}` }),
}

const fillings = [' ', ', ', ';', '; ', 'a', 'a=', '=', '"', '/', '%41', '&a', ':', '::', '1,', '.']

function path(filling: string): string {
  return filling.replaceAll(/[ "]/g, '+')
}

const SMALL = 1_900
const TIMES = 8

for (const [name, head] of Object.entries(hostile)) {
  test(`${name}: eight times as much takes no more than in proportion`, async () => {
    for (const filling of fillings) {
      const cost = async (length: number) => {
        const text = request(head(filling.repeat(length / filling.length)))
        const began = process.threadCpuUsage()
        const answer = await sendRaw(port, [text], { answers: 1 })
        const { user, system } = process.threadCpuUsage(began)
        const [status = 0] = statusesOf(answer)
        assert.ok(status >= 200 && status < 500, `${name} full of "${filling}": ${answer}`)
        return (user + system) / 1_000
      }
      const small = Math.min(await cost(SMALL), await cost(SMALL))
      const large = Math.min(await cost(SMALL * TIMES), await cost(SMALL * TIMES))
      const about = `full of "${filling}": ${small} ms, then ${large} ms`
      // With the square of the length it would be 64; what every request costs is in both.
      assert.ok(large < 40 || large / small < 24, about)
    }
  })
}
