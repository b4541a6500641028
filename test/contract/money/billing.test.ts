import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Command, Entry } from '../../../src/ledger/commands.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import { MICRO } from '../../../src/ledger/money.ts'
import type { Db } from '../../../src/db/db.ts'
import { billingRoutes } from '../../../src/routes/billing.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { withDatabase } from '../../support/databases.ts'
import { jwtHeaders, KEY_ACCOUNT, keyHeaders, startServer } from '../../support/server.ts'
import type { Loose } from '../../support/loose.ts'

const accountId = KEY_ACCOUNT
const workspaceId = randomUUID()
const empty = { authorization: 'Bearer jwt-7' }

const entry = (type: Entry['type'], more: Partial<Entry> = {}): Entry => ({
  id: randomUUID(),
  key: randomUUID(),
  type,
  description: type,
  ...more,
})

withDatabase('billing', (open) => {
  let db: Db
  let app: Awaited<ReturnType<typeof startServer>>
  before(async () => {
    db = await open()
    app = await startServer({ routes: billingRoutes({ db }) })
    await fill(db)
  })
  after(async () => {
    await app.close()
    await assertAudit(db)
  })

  async function get(path: string, headers: Record<string, string> = jwtHeaders) {
    const response = await fetch(app.url + path, { headers })
    return { status: response.status, body: (await response.json()) as Loose }
  }

  describe('GET /v1/billing/balance', () => {
    it('200: balance, reserved and available credits; with a key as with a session', async () => {
      for (const headers of [jwtHeaders, keyHeaders]) {
        const { status, body } = await get('/v1/billing/balance', headers)
        assert.equal(status, 200)
        assert.deepEqual(body.data, {
          balance_credits: 5095.999999,
          reserved_credits: 0.5,
          available_credits: 5095.499999,
          currency: 'credits',
        })
      }
    })

    it('200: zero for an account that has never had credits', async () => {
      const { body } = await get('/v1/billing/balance', empty)
      const nothing = { balance_credits: 0, reserved_credits: 0, available_credits: 0 }
      assert.deepEqual(body.data, { ...nothing, currency: 'credits' })
    })

    it('401', async () => {
      const { status, body } = await get('/v1/billing/balance', {})
      assert.equal(status, 401)
      assert.equal(body.error_code, 'unauthorized')
    })
  })

  describe('GET /v1/billing/transactions', () => {
    const path = '/v1/billing/transactions'
    const types = (body: Loose) => body.data.map(({ type }: Loose) => type)

    it('200: newest first, with signed amounts and the running balance', async () => {
      const { status, body } = await get(path)
      assert.equal(status, 200)
      assert.deepEqual(types(body), [
        'usage',
        'usage',
        'usage',
        'refund',
        'usage',
        'topup',
        'signup_bonus',
      ])
      assert.deepEqual(body.pagination, { limit: 50, offset: 0, total: 7, has_more: false })
      const [newest] = body.data
      const { id, created_at, ...rest } = newest
      assert.match(id, /^[0-9a-f-]{36}$/)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepEqual(rest, {
        type: 'usage',
        amount_credits: -1.000001,
        balance_after_credits: 5095.999999,
        description: 'usage',
        workspace_id: workspaceId,
      })
      const topup = body.data.find(({ type }: Loose) => type === 'topup')
      assert.deepEqual(topup.reference, { type: 'payment', id: 'p1' })
      assert.equal('workspace_id' in topup, false)
      assert.equal('operator' in topup, false)
    })

    it('200: every page, with and without a type, adds up', async () => {
      for (const filter of ['', '&type=usage', '&type=topup', '&type=adjustment']) {
        const whole = (await get(`${path}?limit=200${filter}`)).body
        assert.equal(whole.pagination.total, whole.data.length)
        const pages: unknown[] = []
        for (let offset = 0; ; offset += 2) {
          const { body } = await get(`${path}?limit=2&offset=${offset}${filter}`)
          pages.push(...body.data)
          assert.equal(body.pagination.total, whole.data.length)
          assert.equal(body.pagination.has_more, offset + body.data.length < whole.data.length)
          if (!body.pagination.has_more) break
        }
        assert.deepEqual(pages, whole.data)
      }
    })

    it('200: from is included, to is not; any period is counted correctly', async () => {
      const all = (await get(path)).body.data
      const times: string[] = [...new Set<string>(all.map(({ created_at }: Loose) => created_at))]
      for (const from of times) {
        for (const to of [...times, '2100-01-01T00:00:00+03:00']) {
          for (const type of [undefined, 'usage', 'topup']) {
            const expected = all.filter(
              (one: Loose) =>
                one.created_at >= from &&
                Date.parse(one.created_at) < Date.parse(to) &&
                (type === undefined || one.type === type),
            )
            const query = new URLSearchParams({ from, to, ...(type ? { type } : {}) }).toString()
            const { body } = await get(`${path}?${query}`)
            assert.deepEqual(body.data, expected)
            assert.equal(body.pagination.total, expected.length)
          }
        }
      }
    })

    it('200: an empty list beyond the end, before the beginning, and for a new account', async () => {
      assert.deepEqual((await get(`${path}?offset=100`)).body.data, [])
      const early = await get(`${path}?to=1999-01-01T00:00:00Z`)
      assert.deepEqual(early.body.pagination, { limit: 50, offset: 0, total: 0, has_more: false })
      assert.equal((await get(`${path}?from=2100-01-01T00:00:00Z`)).body.pagination.total, 0)
      assert.deepEqual((await get(path, empty)).body.data, [])
    })

    const bad = [
      'type=grant',
      'from=yesterday',
      'to=2026-13-01T00:00:00Z',
      'from=0001-01-01T00:00:00Z',
      'limit=201',
    ]
    for (const query of bad) {
      it(`400: ${query}`, async () => {
        const { status, body } = await get(`${path}?${query}`)
        assert.equal(status, 400)
        assert.equal(body.error_code, 'validation_error')
      })
    }

    it('401 and 403', async () => {
      assert.equal((await get(path, {})).status, 401)
      assert.equal((await get(path, keyHeaders)).status, 403)
    })
  })
})

async function fill(db: Db): Promise<void> {
  const reference = { type: 'payment', id: 'p1' }
  const apply = (...commands: Command[]) => db.begin((tx) => applyCommands(tx, commands))
  const charge = async (...costs: bigint[]) => {
    const holdId = randomUUID()
    const owner = { job: 'test', deadline: new Date(Date.now() + 60_000) }
    const size = { estimateMicro: 10n * MICRO, minimumMicro: 0n }
    await apply({ kind: 'hold', accountId, holdId, ...size, owner, about: {} })
    const charges = costs.map((costMicro) => ({
      costMicro,
      entry: entry('usage', { workspaceId }),
    }))
    await apply({ kind: 'settle', accountId, holdId, charges })
  }
  const grant = (type: Entry['type'], credits: bigint, more: Partial<Entry> = {}) =>
    apply({ kind: 'grant', accountId, amountMicro: credits * MICRO, entry: entry(type, more) })
  await grant('signup_bonus', 100n)
  await grant('topup', 5000n, { reference })
  await charge(2n * MICRO)
  await grant('refund', 1n)
  await charge(1n * MICRO, 1n * MICRO, 1_000_001n)
  const owner = { job: 'open', deadline: new Date(Date.now() + 3_600_000) }
  const size = { estimateMicro: MICRO / 2n, minimumMicro: 0n }
  await apply({ kind: 'hold', accountId, holdId: randomUUID(), ...size, owner, about: {} })
}
