import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import { commandActor } from '../../src/operators/actor.ts'
import {
  addWebhook,
  changeWebhook,
  removeWebhook,
  replayWebhook,
  rotateWebhookSecret,
} from '../../src/operators/webhook-actions.ts'
import { readMatters } from '../../src/operators/business/attention-store.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import type { App } from '../../src/app/app.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runCommand } from '../../src/cli/commands.ts'
import { reachOf } from '../../src/webhooks/address.ts'
import {
  claimDelivery,
  listDeliveries,
  settleDelivery,
  purgeDeliveries,
  purgeOrphans,
} from '../../src/webhooks/deliveries-store.ts'
import {
  disableGone,
  eraseSpentSecrets,
  listEndpoints,
} from '../../src/webhooks/endpoints-store.ts'
import { tellWebhooks, WEBHOOK_EVENTS, type WebhookEvent } from '../../src/webhooks/events.ts'
import { outageWatch } from '../../src/webhooks/outages.ts'
import { resealWebhookSecrets, webhookKeys } from '../../src/webhooks/secrets.ts'
import { openWebhookSender } from '../../src/webhooks/sender.ts'
import { openWebhooks } from '../../src/webhooks/webhooks.ts'
import { withDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver, type Received, type Receiver } from '../support/peers/receiver.ts'

const MASTER = 'a master key for tests, long enough'
const NETWORKS = '127.0.0.0/8'
const keys = webhookKeys({ masterKey: MASTER, previous: undefined })
const neema = commandActor('neema')

/** As a receiver does it: the raw body, the id and the time. */
function verifies(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.')
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  const recent = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 300
  return recent && String(headers['webhook-signature']).split(' ').includes(expected)
}

withDatabase('webhooks', (open) => {
  let db: Db
  let receiver: Receiver
  const ports: number[] = []
  const opened: { stop(): Promise<void> }[] = []
  before(async () => {
    db = await open()
  })
  beforeEach(async () => {
    receiver = await startReceiver()
    ports.push(receiver.port)
    await db.script('delete from webhook_endpoints; delete from webhook_deliveries')
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.stop()))
    await receiver.close()
  })
  after(() => receiver.close().catch(() => {}))

  const reach = () => reachOf({ WEBHOOK_ALLOW_NETWORKS: [NETWORKS], WEBHOOK_ALLOW_PORTS: ports })
  const admin = () => ({ db, keys, reach: reach() })
  const add = (url = receiver.url, events: string[] = [...WEBHOOK_EVENTS]) =>
    addWebhook(admin(), neema, { url, events })
  const suspended: WebhookEvent = {
    type: 'account.suspended',
    data: { account_id: randomUUID() },
  }
  const tell = (event: WebhookEvent = suspended) => db.begin((tx) => tellWebhooks(tx, event))
  const rows = (endpointId: string) =>
    listDeliveries(db, { endpointId, state: undefined, before: undefined, limit: 100 })
  const until = (endpointId: string, state: string, count = 1) =>
    eventually(`${count} deliveries are ${state}`, async () => {
      const found = (await rows(endpointId)).filter((row) => row.state === state)
      return found.length >= count && found[0]
    })

  /** A process that delivers, until the end of the test. */
  async function deliver() {
    const stopping = new AbortController()
    const sender = openWebhookSender(admin().reach)
    const parts = { db, keys, sender, log: silentLog, clock: systemClock, random: () => 0.5 }
    const webhooks = await openWebhooks(parts)
    const look = () => webhooks.jobs[0]!.run(stopping.signal)
    await look()
    opened.push({
      async stop() {
        stopping.abort()
        await webhooks.close()
      },
    })
    return { look }
  }

  it('are delivered once, signed, when what they tell of is committed', async () => {
    const { endpoint, secret } = await add()
    await Promise.all([deliver(), deliver()])
    await assert.rejects(
      db.begin(async (tx) => {
        await tellWebhooks(tx, suspended)
        throw new Error('rolled back')
      }),
    )
    await tell()
    const first = await receiver.nth(1)
    assert.ok(verifies(secret, first))
    assert.equal(first.json.type, 'account.suspended')
    assert.deepEqual(first.json.data, suspended.data)
    assert.ok(!Number.isNaN(Date.parse(first.json.timestamp)))
    assert.equal(first.headers['content-type'], 'application/json')
    const row = await until(endpoint.id, 'delivered')
    assert.equal(row.eventId, first.headers['webhook-id'])
    assert.deepEqual([row.attempts, row.lastStatus, row.lastError], [1, 204, null])
    await tell()
    await until(endpoint.id, 'delivered', 2)
    assert.equal(receiver.received.length, 2)
  })

  it('go to those who asked for them', async () => {
    const { endpoint } = await add(receiver.url, ['video.completed'])
    await tell()
    assert.deepEqual(await rows(endpoint.id), [])
    const data = { video_id: randomUUID(), account_id: randomUUID(), model: 'a/b' }
    await tell({ type: 'video.completed', data })
    assert.equal((await rows(endpoint.id)).length, 1)
  })

  it('are tried again later under the same id, with a new time and signature', async () => {
    const { endpoint, secret } = await add()
    const { look } = await deliver()
    receiver.answer = (_, response) => response.writeHead(500).end()
    await tell()
    await receiver.nth(1)
    await eventually(
      'the failure is written down',
      async () => (await rows(endpoint.id))[0]!.lastStatus === 500,
    )
    const [failed] = await rows(endpoint.id)
    assert.deepEqual([failed!.state, failed!.lastError], ['waiting', 'http_500'])
    assert.ok(failed!.nextTryAt.getTime() > failed!.lastTryAt!.getTime() + 4_000)
    receiver.answer = (_, response) => response.writeHead(200).end('thanks')
    await db.query('update webhook_deliveries set next_try_at = now()')
    await look()
    const second = await receiver.nth(2)
    assert.ok(verifies(secret, second))
    assert.equal(second.headers['webhook-id'], receiver.received[0]!.headers['webhook-id'])
    assert.equal((await until(endpoint.id, 'delivered')).attempts, 2)
  })

  it('are given up after so many tries', async () => {
    const { endpoint } = await add()
    receiver.answer = (_, response) => response.writeHead(503).end()
    await tell()
    await db.query('update webhook_deliveries set attempts = 23')
    await deliver()
    const dead = await until(endpoint.id, 'dead')
    assert.deepEqual([dead.attempts, dead.lastStatus], [24, 503])
  })

  it('wait as long as the receiver asks', async () => {
    const { endpoint } = await add()
    await deliver()
    const headers = { 'retry-after': '7200' }
    receiver.answer = (_, response) => response.writeHead(503, headers).end()
    await tell()
    const [failed] = await eventually('the failure is written down', async () => {
      const found = await rows(endpoint.id)
      return found[0]?.lastStatus === 503 && found
    })
    assert.ok(failed!.nextTryAt.getTime() >= failed!.lastTryAt!.getTime() + 7_200_000)
  })

  it('switch an endpoint off that says it is gone, until an operator switches it on', async () => {
    const { endpoint } = await add()
    const { id } = endpoint
    const gone = async () => {
      const matters = await readMatters(db)
      return matters.find(({ kind }) => kind === 'webhook_gone')?.count ?? 0
    }
    await deliver()
    receiver.answer = (_, response) => response.writeHead(410).end()
    assert.equal(await gone(), 0)
    await tell()
    assert.equal((await until(id, 'dead')).attempts, 1)
    const [off] = await listEndpoints(db)
    assert.deepEqual([off!.enabled, off!.goneAt === null], [false, false])
    assert.equal(await gone(), 1)
    await tell()
    assert.equal((await rows(id)).length, 1)
    // A late answer of the address that it had before says nothing about the new one.
    await changeWebhook(admin(), neema, { id, url: `${receiver.url}/new`, enabled: true })
    assert.equal(await disableGone(db, { id, url: endpoint.url }), false)
    const [on] = await listEndpoints(db)
    assert.deepEqual([on!.enabled, on!.goneAt], [true, null])
    assert.equal(await gone(), 0)
  })

  it('can be sent again by hand, whether they arrived or not', async () => {
    const { endpoint } = await add()
    receiver.answer = (_, response) => response.writeHead(503).end()
    await tell()
    await db.query('update webhook_deliveries set attempts = 23')
    await deliver()
    const { eventId } = await until(endpoint.id, 'dead')
    receiver.answer = (_, response) => response.writeHead(204).end()
    const replay = () => replayWebhook(admin(), neema, { id: endpoint.id, eventId })
    assert.equal(await replay(), true)
    await until(endpoint.id, 'delivered')
    assert.equal(await replay(), true)
    const third = await receiver.nth(3)
    assert.equal(third.headers['webhook-id'], eventId)
    await until(endpoint.id, 'delivered')
    const other = { id: endpoint.id, eventId: randomUUID() }
    assert.equal(await replayWebhook(admin(), neema, other), false)
    assert.equal(await replayWebhook(admin(), neema, { id: randomUUID(), eventId }), false)
  })

  it('reach the others while one endpoint does not answer', async (t) => {
    const slow = await startReceiver(() => {})
    t.after(() => slow.close())
    ports.push(slow.port)
    const { endpoint } = await add(slow.url)
    const quick = await add()
    await deliver()
    for (let n = 0; n < 10; n++) await tell()
    await until(quick.endpoint.id, 'delivered', 10)
    // The slow one has no more than its own share under way.
    assert.ok(slow.received.length <= 2)
    assert.ok((await rows(endpoint.id)).every(({ state }) => state === 'waiting'))
  })

  it('are delivered by another process when the first dies with one in its hands', async () => {
    const { endpoint } = await add()
    await tell()
    const dead = { endpointId: endpoint.id, leaseId: randomUUID(), leaseS: -1 }
    const claimed = (await claimDelivery(db, dead))!
    await deliver()
    const { attempts } = await until(endpoint.id, 'delivered')
    assert.equal(attempts, 2)
    // It wakes up: the delivery is not its own any more.
    const end = { state: 'dead', status: 500, error: 'late' } as const
    await settleDelivery(db, claimed, end)
    assert.equal((await rows(endpoint.id))[0]!.state, 'delivered')
  })

  it('wait while their endpoint is off, and are not even written then', async () => {
    const { endpoint } = await add()
    await tell()
    const { id } = endpoint
    assert.equal((await changeWebhook(admin(), neema, { id, enabled: false }))!.enabled, false)
    await deliver()
    await tell()
    assert.equal((await rows(id)).length, 1)
    assert.equal(receiver.received.length, 0)
    await changeWebhook(admin(), neema, { id, enabled: true })
    await until(id, 'delivered')
    assert.equal(receiver.received.length, 1)
  })

  it('are signed with both secrets for a day after a change', async () => {
    const { endpoint, secret: old } = await add()
    const { id } = endpoint
    await deliver()
    const changed = (await rotateWebhookSecret(admin(), neema, { id }))!
    assert.notEqual(changed.secret, old)
    const hours = (changed.previousUntil.getTime() - Date.now()) / 3_600_000
    assert.ok(hours > 23.9 && hours < 24.1)
    await tell()
    const during = await receiver.nth(1)
    assert.ok(verifies(old, during))
    assert.ok(verifies(changed.secret, during))
    await db.query(`update webhook_endpoints set previous_until = now() - interval '1 second'`)
    await tell()
    const afterwards = await receiver.nth(2)
    assert.ok(!verifies(old, afterwards))
    assert.ok(verifies(changed.secret, afterwards))
    assert.equal(await eraseSpentSecrets(db), 1)
    const [row] = await db.query('select previous_secret from webhook_endpoints')
    assert.equal(row!.previous_secret, null)
    assert.equal(await rotateWebhookSecret(admin(), neema, { id: randomUUID() }), undefined)
  })

  it('have secrets that survive a change of MASTER_KEY', async () => {
    const { endpoint, secret } = await add()
    await rotateWebhookSecret(admin(), neema, { id: endpoint.id })
    const other = 'another master key for tests, as long'
    const both = webhookKeys({ masterKey: other, previous: MASTER })
    const count = { resealed: 2, unchanged: 0, lost: 0 }
    assert.deepEqual(await resealWebhookSecrets(db, both), count)
    assert.deepEqual(await resealWebhookSecrets(db, both), { ...count, resealed: 0, unchanged: 2 })
    assert.deepEqual(await resealWebhookSecrets(db, keys), { ...count, resealed: 0, lost: 2 })
    const back = webhookKeys({ masterKey: MASTER, previous: other })
    assert.equal((await resealWebhookSecrets(db, back)).resealed, 2)
    await deliver()
    await tell()
    assert.ok(verifies(secret, await receiver.nth(1)))
  })

  it('go after their time, and with their endpoint', async () => {
    const { endpoint } = await add()
    await deliver()
    await tell()
    await until(endpoint.id, 'delivered')
    assert.equal(await purgeDeliveries(db, 10), 0)
    await db.query(`update webhook_deliveries set finished_at = now() - interval '31 days'`)
    assert.equal(await purgeDeliveries(db, 10), 1)
    await tell()
    await until(endpoint.id, 'delivered')
    assert.equal(await removeWebhook(admin(), neema, { id: endpoint.id }), true)
    assert.equal(await removeWebhook(admin(), neema, { id: endpoint.id }), false)
    await tell()
    assert.equal(await purgeOrphans(db, 10), 1)
    assert.deepEqual(await rows(endpoint.id), [])
  })

  it('tell of an upstream once for each outage, however many processes see it', async () => {
    const { endpoint } = await add()
    const since = new Date()
    let problems: { upstream: string; model?: string; why: string; since: Date }[] = []
    const watches = [1, 2].map(() => outageWatch({ db, problems: () => problems }))
    const look = () => Promise.all(watches.map((one) => one.run(new AbortController().signal)))
    await look()
    problems = [{ upstream: 'main', model: 'a/b', why: 'circuit_open', since }]
    await look()
    assert.deepEqual(await rows(endpoint.id), [])
    problems = [{ upstream: 'main', why: 'unreachable', since }]
    await look()
    await look()
    assert.equal((await rows(endpoint.id)).length, 1)
    const { type, data } = JSON.parse((await rows(endpoint.id))[0]!.body)
    assert.equal(type, 'upstream.down')
    assert.deepEqual(data, { upstream: 'main', why: 'unreachable', since: since.toISOString() })
    await db.query(`update upstream_outages set seen_at = now() - interval '6 minutes'`)
    await look()
    assert.equal((await rows(endpoint.id)).length, 2)
  })

  it('are kept by commands', async () => {
    const mlango = async (...args: string[]) => {
      const lines: string[] = []
      const WEBHOOK_ALLOW_PORTS = String(receiver.port)
      const config = readConfig({ WEBHOOK_ALLOW_NETWORKS: NETWORKS, WEBHOOK_ALLOW_PORTS })
      const parts = { db, config, masterKey: MASTER } as unknown as App
      const code = await runCommand(['webhooks', ...args], parts, (line) => lines.push(line))
      return { code, out: lines.join('\n') }
    }
    const added = await mlango('add', receiver.url, '--events', 'all', '--description', 'shop')
    assert.equal(added.code, 0, added.out)
    const secret = /whsec_\S+/.exec(added.out)![0]
    const { id } = (await listEndpoints(db))[0]!
    assert.match((await mlango('list')).out, new RegExp(`^${id}  on  ${receiver.url}  .*shop`))
    await deliver()
    await tell()
    assert.ok(verifies(secret, await receiver.nth(1)))
    const { eventId } = await until(id, 'delivered')
    const listed = await mlango('deliveries', id, '--state', 'delivered')
    assert.match(listed.out, new RegExp(`^${eventId}  .*account.suspended  delivered`))
    assert.equal((await mlango('replay', id, eventId)).code, 0)
    await receiver.nth(2)
    assert.match((await mlango('rotate', id)).out, /whsec_/)
    const changed = await mlango('change', id, '--enabled', 'off', '--events', 'balance.low')
    assert.match(changed.out, /OFF .* balance\.low /)
    assert.equal((await mlango('remove', id)).code, 0)
    assert.equal((await mlango('remove', id)).code, 1)
    assert.equal((await mlango('add', 'https://10.0.0.1/', '--events', 'all')).code, 1)
    for (const wrong of [['add', receiver.url], ['dance'], ['change', 'x'], ['replay', id]])
      assert.equal((await mlango(...wrong)).code, 2)
    const acts = await db.query<{ action: string }>(
      'select action from operator_actions where target_id = $1 order by seq',
      [id],
    )
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['add', 'replay', 'rotate', 'change', 'remove'].map((one) => `webhook.${one}`),
    )
  })
})
