import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { auditHeadJob } from '../../../src/operators/accounting/audit-heads.ts'
import { WEBHOOK_EVENTS } from '../../../src/webhooks/events.ts'
import { refused } from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { setBalance } from '../../support/customer.ts'
import { eventually } from '../../support/eventually.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'
import { startReceiver, type Received, type Receiver } from '../../support/peers/receiver.ts'

let app: Awaited<ReturnType<typeof startApp>>
let owner: TestOperator
let receiver: Receiver
before(async () => {
  receiver = await startReceiver()
  app = await startApp({
    env: {
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      WEBHOOK_ALLOW_PORTS: String(receiver.port),
      TOPUP_REQUIRE_VERIFIED_PHONE: 'false',
    },
  })
  owner = await newOperator(app, 'owner')
})
after(async () => {
  await assertAudit(app.db)
  await app.close()
  await receiver.close()
})

const ask = (line: string, body?: object) =>
  app.call(line, { token: owner.token, ...(body && { body }) })
const wish = (more: object = {}) => ({
  url: receiver.url,
  events: WEBHOOK_EVENTS,
  description: 'The shop',
  ...more,
})
const add = async (more: object = {}) => {
  const answer = await app.call('POST /v1/operator/webhooks', {
    token: owner.token,
    body: wish(more),
    headers: { 'idempotency-key': uuidv7() },
  })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.data
}
const remove = (id: string) => ask(`DELETE /v1/operator/webhooks/${id}`, {})

describe('endpoints', () => {
  it('201, 200: added with a secret that is shown once, listed, changed, removed, all in the log', async () => {
    const made = await add({ url: `${receiver.url}?token=hidden`, reason: 'for the shop' })
    assert.match(made.secret, /^whsec_/)
    const { secret, ...shown } = made
    assert.deepEqual((await ask('GET /v1/operator/webhooks')).body.data, [shown])
    const path = `/v1/operator/webhooks/${made.id}`
    const changed = await ask(`PATCH ${path}`, { events: ['balance.low'], enabled: false })
    const after = { ...shown, events: ['balance.low'], enabled: false }
    assert.deepEqual(changed.body.data, after)
    const rotated = (await ask(`POST ${path}/secret`, {})).body.data
    assert.notEqual(rotated.secret, secret)
    const [listed] = (await ask('GET /v1/operator/webhooks')).body.data
    assert.equal(listed.previous_secret_until, rotated.previous_secret_until)
    assert.equal((await remove(made.id)).status, 200)
    refused(await remove(made.id), 404, 'not_found')
    const acts = (await ask(`GET /v1/operator/actions?target=${made.id}`)).body.data
    assert.deepEqual(
      acts.map(({ action }: { action: string }) => action),
      ['remove', 'rotate', 'change', 'add'].map((one) => `webhook.${one}`),
    )
    assert.equal(acts.at(-1).reason, 'for the shop')
    const { host, url_sha256: hash } = acts.at(-1).after
    assert.equal(host, new URL(receiver.url).host)
    // Of the whole address, so that a change of what is not shown shows too.
    const { url } = listed
    assert.equal(hash, createHash('sha256').update(url).digest('hex'))
    assert.ok(url.includes('token=hidden'), url)
    // Neither a secret nor the rest of the address is in the log, or anywhere else in clear text.
    for (const text of [secret, rotated.secret, 'token=hidden'])
      assert.deepEqual(await tablesWith(text), [], text)
  })

  it('400 names what is wrong', async () => {
    const wrong: [object, string][] = [
      [{ url: 'https://10.0.0.1/x' }, 'url'],
      [{ url: 'http://8.8.8.8/' }, 'url'],
      [{ url: 'https://[::1]/' }, 'url'],
      [{ url: 'https://example.com:6379/' }, 'url'],
      [{ url: 'https://me:pass@example.com/' }, 'url'],
      [{ url: 'ftp://example.com' }, 'url'],
      [{ url: `https://example.com/${'x'.repeat(3_000)}` }, 'url'],
      [{ url: 5 }, 'url'],
      [{ events: [] }, 'events'],
      [{ events: ['payment.stolen'] }, 'events'],
      [{ events: 'all' }, 'events'],
      [{ description: 'x'.repeat(201) }, 'description'],
      [{ description: 'a\nb' }, 'description'],
    ]
    for (const [more, field] of wrong) {
      const answer = await ask('POST /v1/operator/webhooks', wish(more))
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, new RegExp(`^${field}`), JSON.stringify(more))
    }
    const made = await add()
    const path = `/v1/operator/webhooks/${made.id}`
    refused(await ask(`PATCH ${path}`, { url: 'https://10.0.0.1/' }), 400, 'validation_error')
    refused(await ask(`PATCH ${path}`, { enabled: 'no' }), 400, 'validation_error')
    refused(await ask(`GET ${path}/deliveries?state=lost`), 400, 'validation_error')
    await remove(made.id)
  })

  it('404 for what is not there, 409 for too many', async () => {
    const path = `/v1/operator/webhooks/${uuidv7()}`
    refused(await ask(`PATCH ${path}`, { enabled: true }), 404, 'not_found')
    refused(await ask(`POST ${path}/secret`, {}), 404, 'not_found')
    refused(await ask(`POST ${path}/deliveries/${uuidv7()}/replay`, {}), 404, 'not_found')
    const made = []
    for (let n = 0; n < 20; n++) made.push((await add()).id)
    refused(await ask('POST /v1/operator/webhooks', wish()), 409, 'conflict')
    for (const id of made) await remove(id)
  })

  /** Tables that have the text in some column of some row. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await app.db.query<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    const found: string[] = []
    for (const { name } of tables) {
      const [row] = await app.db.query<{ count: bigint }>(
        `select count(*) from "${name}" as t where position($1 in t::text) > 0`,
        [text],
      )
      if (row!.count > 0n) found.push(name)
    }
    return found
  }
})

describe('events', () => {
  let endpoint: { id: string }
  before(async () => {
    endpoint = await add()
  })
  after(() => remove(endpoint.id))

  /** The next event of this type about this thing. */
  async function told(type: string, about: Record<string, unknown>): Promise<Received> {
    const fits = ({ json }: Received) =>
      json.type === type &&
      Object.entries(about).every(([name, value]) => json.data[name] === value)
    return eventually(`${type} is told`, () => receiver.received.find(fits))
  }

  async function payment(phone: string) {
    const asha = await app.customer('0')
    await app.db.query('update accounts set phone_number = $2 where id = $1', [
      asha.accountId,
      phone,
    ])
    const made = await app.call('POST /v1/payments/topup', {
      token: asha.token,
      body: { amount_tzs: 5000 },
    })
    const { id, reference } = made.body.data
    await app.rooms.payments.idle()
    return { asha, id: id as string, reference: reference as string }
  }

  it('payment.completed and payment.review', async () => {
    const { asha, id, reference } = await payment('+255711230015')
    app.money.control.settle(reference, 'completed')
    await app.rooms.payments.check(id)
    const about = { payment_id: id, account_id: asha.accountId, amount_tzs: 5000 }
    const paid = await told('payment.completed', { payment_id: id })
    assert.deepEqual(paid.json.data, { ...about, credits: 5000, late: false })
    app.money.control.settle(reference, 'failed')
    await app.rooms.payments.check(id)
    await app.rooms.payments.check(id)
    const review = await told('payment.review', { payment_id: id })
    const { reason, ...rest } = review.json.data
    assert.deepEqual(rest, { ...about, status: 'completed' })
    assert.equal(typeof reason, 'string')
    const [row] = await app.db.query<{ count: bigint }>(
      `select count(*) from webhook_deliveries where body like '%' || $1 || '%'`,
      [id],
    )
    assert.equal(row!.count, 2n, 'each is told once')
  })

  it('account.suspended', async () => {
    const asha = await app.customer('0')
    const path = `/v1/operator/accounts/${asha.accountId}/suspension`
    for (let times = 0; times < 2; times++) await ask(`POST ${path}`, { reason: 'abuse of keys' })
    const event = await told('account.suspended', { account_id: asha.accountId })
    assert.deepEqual(event.json.data, { account_id: asha.accountId })
    assert.ok(!event.body.includes('abuse'))
  })

  it('balance.low, once for each time', async () => {
    const asha = await app.customer('20.1')
    const chat = () =>
      app.call('POST /v1/chat/completions', {
        token: asha.key,
        body: { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari' }] },
      })
    await setBalance(app.db, asha.accountId, '20.0001')
    for (let times = 0; times < 3; times++) assert.equal((await chat()).status, 200)
    const event = await told('balance.low', { account_id: asha.accountId })
    assert.ok(event.json.data.available_credits < 20)
    const [row] = await app.db.query<{ count: bigint }>(
      `select count(*) from webhook_deliveries
       where type = 'balance.low' and body like '%' || $1 || '%'`,
      [asha.accountId],
    )
    assert.equal(row!.count, 1n)
  })

  it('video.completed', async () => {
    const asha = await app.customer('100000')
    const made = await app.call('POST /v1/videos', {
      token: asha.key,
      body: { model: 'sim/filamu', prompt: 'Simba', duration: 4, resolution: '720p' },
    })
    const { job_id: video_id } = made.body.data
    const event = await told('video.completed', { video_id })
    const { model } = event.json.data
    assert.deepEqual(event.json.data, { video_id, model, account_id: asha.accountId })
  })

  it('unpaid.limit, of accounts that never topped up', async () => {
    const asha = await app.customer('100')
    await app.db.query(
      `insert into unpaid_work (account_id, kind, slot, at, worth_micro)
       values ($1, 'chat', 0, now(), 30000000000)`,
      [asha.accountId],
    )
    const event = await told('unpaid.limit', { unpaid_credits: 30_000 })
    assert.equal(event.json.data.limit_credits, 30_000)
    assert.match(event.json.data.day, /^\d{4}-\d\d-\d\d$/)
  })

  it('audit.head, for whoever keeps it elsewhere', async () => {
    // The job of the app may have told one an hour ago, or a moment ago.
    await app.db.query(`update operator_log set told_seq = 0, told_at = '-infinity'`)
    const { end } = (await ask('GET /v1/operator/actions?limit=1')).body
    const config = { DATA_DIR: app.dataDir }
    await auditHeadJob({ db: app.db, config }).run(AbortSignal.timeout(600_000))
    const event = await told('audit.head', { seq: end.seq })
    assert.equal(event.json.data.hash, end.hash)
  })

  it('upstream.down', async () => {
    const asha = await app.customer('1000')
    await app.models.close()
    const chat = () =>
      app.call('POST /v1/chat/completions', {
        token: asha.key,
        body: { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari' }] },
      })
    for (let times = 0; times < 4; times++) assert.ok((await chat()).status >= 500)
    const event = await told('upstream.down', { upstream: 'sim' })
    assert.equal(event.json.data.why, 'unreachable')
  })

  it('200: the log of deliveries, and one sent again; no event has an address of anybody', async () => {
    const path = `/v1/operator/webhooks/${endpoint.id}/deliveries`
    const list = await ask(`GET ${path}`)
    const types = new Set(list.body.data.map(({ type }: { type: string }) => type))
    assert.deepEqual(types, new Set(WEBHOOK_EVENTS))
    for (const { body } of receiver.received) assert.ok(!/@|\+255|whsec|Asha/.test(body), body)
    const [newest] = list.body.data
    const delivered = () => ask(`GET ${path}?state=delivered&limit=1`)
    await eventually(
      'the newest is delivered',
      async () => (await delivered()).body.data[0]?.id === newest.id,
    )
    const before = receiver.received.length
    const again = await ask(`POST ${path}/${newest.id}/replay`, { reason: 'lost by the shop' })
    assert.equal(again.status, 200, JSON.stringify(again.body))
    const sent = await receiver.nth(before + 1)
    assert.equal(sent.headers['webhook-id'], newest.id)
    assert.deepEqual(sent.json, newest.body)
    const [act] = (await ask(`GET /v1/operator/actions?target=${endpoint.id}&limit=1`)).body.data
    assert.deepEqual([act.action, act.after], ['webhook.replay', { event_id: newest.id }])
  })
})
