import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { SIMULATED_MODELS } from '../../simulator/models/simulated-models.ts'
import { startApp } from '../support/app.ts'

/* What pages read before anyone has signed in. */

const many = Array.from({ length: 300 }, (_, i) => ({
  ...SIMULATED_MODELS[0]!,
  id: `many/model-${String(i).padStart(3, '0')}`,
}))

let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  app = await startApp({
    simulator: { models: many },
    env: {
      TOPUP_MIN_TZS: '2000',
      TOPUP_MAX_TZS: '20000',
      TOPUP_CREDITS_PER_TZS: '0.95',
      SIGNUP_BONUS_CREDITS: '12.5',
      GITHUB_CLIENT_ID: 'gh',
      GITHUB_CLIENT_SECRET: 'gh-secret',
      STATUS_NOTE: 'Matengenezo leo saa 22:00.',
    },
  })
})
after(() => app.close())

/** As the wire has it: fetch would unpack it. */
function raw(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const asked = request(app.url + path, { headers }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            body: Buffer.concat(parts),
          }),
        )
      })
      asked.on('error', reject)
      asked.end()
    },
  )
}

describe('GET /v1/console', () => {
  it('200: limits, rate, bonus, ways in, networks; for everybody, and cacheable', async () => {
    const { status, headers, body } = await app.call('GET /v1/console')
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'public, max-age=60')
    const { networks, ...facts } = body.data
    assert.deepEqual(facts, {
      topup: {
        min_tzs: 2000,
        max_tzs: 20000,
        credits_per_tzs: '0.95',
        expires_in_s: 1800,
        requires_verified_phone: true,
        amounts_tzs: [5000, 10000],
      },
      signup_bonus_credits: 12.5,
      low_balance_credits: 20,
      unpaid_credits: 100,
      sign_in: { google: false, github: true },
      mfa_methods: ['totp', 'email', 'phone'],
      simulated: { models: true, payments: true },
      time_zone: 'Africa/Dar_es_Salaam',
      status_note: 'Matengenezo leo saa 22:00.',
    })
    const menus = networks.map(({ id, menu }: { id: string; menu: string }) => [id, menu])
    assert.deepEqual(menus, [
      ['mpesa', '*150*00#'],
      ['mixx', '*150*01#'],
      ['airtel', '*150*60#'],
      ['halopesa', '*150*88#'],
    ])
  })

  it('304 to who knows it', async () => {
    const { headers } = await raw('/v1/console')
    const again = await raw('/v1/console', { 'if-none-match': String(headers.etag) })
    assert.deepEqual([again.status, again.body.length], [304, 0])
  })
})

describe('GET /v1/catalog', () => {
  const path = '/v1/catalog?include_free=true'
  const models = (text: string) => JSON.parse(text).data as Record<string, unknown>[]

  it('200: the same models, plain or compressed as the client reads, and much smaller', async () => {
    const plain = await raw(path)
    assert.equal(plain.headers['content-encoding'], undefined)
    const all = models(plain.body.toString())
    assert.ok(all.length > 300)
    for (const [accepts, encoding, unpack] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      const packed = await raw(path, { 'accept-encoding': accepts })
      assert.equal(packed.headers['content-encoding'], encoding)
      assert.match(String(packed.headers.vary), /Accept-Encoding/)
      assert.equal(packed.headers.etag, plain.headers.etag)
      assert.ok(packed.body.length * 10 < plain.body.length, `${packed.body.length} bytes`)
      assert.deepEqual(models(unpack(packed.body).toString()), all)
    }
    for (const accepts of ['identity', 'br;q=0', 'nonsense', '']) {
      const { headers } = await raw(path, { 'accept-encoding': accepts })
      assert.equal(headers['content-encoding'], undefined, accepts)
    }
  })

  it('200: compressed once, whoever asks', async () => {
    const ask = () => raw(path, { 'accept-encoding': 'br' })
    const [one, two] = await Promise.all([ask(), ask()])
    assert.deepEqual(one.body, two.body)
    assert.equal(one.headers['x-request-id'], two.headers['x-request-id'])
    const { request_id: named } = JSON.parse(brotliDecompressSync(one.body).toString())
    assert.equal(named, one.headers['x-request-id'])
  })

  it('200: only the fields that are asked for, in any order, with the id', async () => {
    const answer = await app.call('GET /v1/catalog?fields=pricing_credits,name')
    assert.equal(answer.status, 200)
    const [first] = answer.body.data
    assert.deepEqual(Object.keys(first), ['id', 'name', 'pricing_credits'])
    const other = await raw('/v1/catalog?fields=name,pricing_credits')
    assert.equal(answer.headers.get('etag'), other.headers.etag)
  })

  it('304 by the tag, and 400 for a field that no model has', async () => {
    const { headers } = await raw(path)
    const known = { 'if-none-match': String(headers.etag), 'accept-encoding': 'br' }
    assert.equal((await raw(path, known)).status, 304)
    const refused = await app.call('GET /v1/catalog?fields=id,upstream')
    assert.equal(refused.status, 400)
    assert.match(refused.body.message, /^fields must name/)
  })

  it('429: more than 600 a minute from one address', async () => {
    const statuses = new Set<number>()
    for (let i = 0; i < 650; i += 50) {
      const batch = Array.from({ length: 50 }, () => raw('/v1/catalog?limit=1'))
      for (const { status } of await Promise.all(batch)) statuses.add(status)
    }
    assert.deepEqual(statuses, new Set([200, 429]))
    // Other routes are counted apart.
    assert.equal((await raw('/v1/console')).status, 200)
  })
})
