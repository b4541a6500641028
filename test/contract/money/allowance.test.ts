import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { testClock } from '../../support/accounts.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { freshDatabase } from '../../support/databases.ts'
import { startApp } from '../../support/app.ts'
import {
  AT_ONCE,
  finish,
  piece,
  scriptedModel,
  usage,
  type ScriptedStream,
} from '../../support/models/scripted-model.ts'
import { readStream, watchLeaving } from '../../support/stream-reader.ts'
import { eventually } from '../../support/eventually.ts'
import { noHolds } from '../../support/money/no-holds.ts'

/* Readers who leave before the end: within the allowance free, beyond it finished and charged. */

type App = Awaited<ReturnType<typeof startApp>>
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Worth 35 credits: two of them are within the allowance of 100, three are beyond. */
const TEXT = 'maji '.repeat(700)
const TOKENS = 1_167

const clock = testClock()
let model: Awaited<ReturnType<typeof scriptedModel>>
let databaseUrl: string
let app: App
let leaving: ReturnType<typeof watchLeaving>
let asha: Awaited<ReturnType<App['customer']>>

async function openApp(): Promise<App> {
  const entry = model.entry('openai')
  const free = { id: 'lab/bure', upstream_id: 'bure', pricing: { prompt: '0', completion: '0' } }
  const models = [...entry.models, { ...free, context_length: 100_000 }]
  return startApp({ databaseUrl, clock, upstream: { ...entry, models } })
}

before(async () => {
  model = await scriptedModel()
  databaseUrl = await freshDatabase()
  app = await openApp()
  leaving = watchLeaving(app.rooms.server.http)
})
after(async () => {
  await app.close()
  await model.close()
})
beforeEach(async () => {
  // Rich: the answers of an account that cannot pay for all of it end where the money does.
  asha = await app.customer('1000000')
})
afterEach(async () => {
  await noHolds(app)
  await assertAgreement(app.db)
})

/** Reads all but the end. */
async function taste({ key = asha.key, url = app.url, text = TEXT, body = {} } = {}) {
  const reading = readStream(url, key, body)
  const stream = await model.next()
  stream.send(piece(text))
  const reader = await reading
  assert.equal(reader.status, 200)
  await reader.until(text)
  return { stream, reader }
}

/** Until what its end writes is committed, and known here. */
const atRest = ({ rooms } = app) =>
  eventually('nothing runs', () => rooms.server.context.running.count === 0)

async function leaveFree(how: Parameters<typeof taste>[0] = {}): Promise<void> {
  const { stream, reader } = await taste(how)
  await leaving(reader)
  await stream.closed
  await atRest()
}

function complete(stream: ScriptedStream, tokens = TOKENS): void {
  stream.send(finish(), usage(tokens))
  stream.done()
}

/** Leaves one that is not broken off for it. */
async function leaveCharged(): Promise<void> {
  const { stream, reader } = await taste()
  await leaving(reader)
  complete(stream)
  await atRest()
}

async function finishes(text = TEXT, tokens = TOKENS): Promise<void> {
  const { stream, reader } = await taste({ text })
  complete(stream, tokens)
  assert.match(await reader.whole(), /DONE/)
}

async function records(): Promise<string[]> {
  const rows = await app.db.query<{ status: string; cost: bigint }>(
    `select status, cost_micro as cost from activity_records where account_id = $1
     order by created_at`,
    [asha.accountId],
  )
  for (const { status, cost } of rows) assert.equal(cost > 0n, status === 'completed')
  return rows.map(({ status }) => status)
}

async function unpaid(): Promise<bigint> {
  const [row] = await app.db.query<{ micro: bigint }>(
    `select coalesce(sum(worth_micro), 0)::int8 as micro from unpaid_work
     where account_id = $1 and kind = 'chat'`,
    [asha.accountId],
  )
  return row!.micro
}

function notices(): Promise<{ data: Record<string, unknown> }[]> {
  return app.db.query(
    `select data from notifications where account_id = $1 and type = 'allowance.used'`,
    [asha.accountId],
  )
}

const keyOf = async ({ token }: { token: string }): Promise<string> =>
  (await app.call('POST /v1/api-keys', { token, body: { name: 'another' } })).body.data.key

test('a new account closes a stream worth 35 credits: nothing is charged, the worth is counted', async () => {
  await leaveFree()
  assert.deepEqual(await records(), ['cancelled'])
  const counted = await unpaid()
  assert.ok(counted > 35_000_000n && counted < 35_200_000n, String(counted))
})

test('beyond the allowance a stream that is left is finished and charged; smaller ones are still free', async () => {
  await leaveFree()
  await leaveFree()
  await leaveCharged()
  await leaveFree({ text: TEXT.slice(0, 900) })
  await leaveCharged()
  assert.deepEqual(await records(), [
    'cancelled',
    'cancelled',
    'completed',
    'cancelled',
    'completed',
  ])
})

test('no key and no process has an allowance of its own, and no stream is refused', async () => {
  await leaveFree()
  await leaveFree({ key: await keyOf(asha) })
  const other = await openApp()
  try {
    const leavingThere = watchLeaving(other.rooms.server.http)
    const { stream, reader } = await taste({ url: other.url, key: await keyOf(asha) })
    await leavingThere(reader)
    complete(stream)
    await atRest(other)
    assert.deepEqual(await records(), ['cancelled', 'cancelled', 'completed'])
    for (const url of [app.url, other.url]) {
      const messages = [{ role: 'user', content: AT_ONCE }]
      const reader = await readStream(url, asha.key, { messages })
      assert.equal(reader.status, 200)
      assert.match(await reader.whole(), /DONE/)
    }
  } finally {
    await other.close()
  }
})

test('a tenth of what was spent in thirty days is added', async () => {
  await finishes(TEXT.repeat(5), 5 * TOKENS)
  for (let i = 0; i < 3; i++) await leaveFree()
  await leaveCharged()
  clock.push(31 * DAY_MS)
  await leaveFree()
  await leaveFree()
  await leaveCharged()
})

test('the window of 24 hours moves', async () => {
  await leaveFree()
  clock.push(23 * HOUR_MS)
  await leaveFree()
  await leaveCharged()
  clock.push(HOUR_MS)
  await leaveFree()
  await leaveCharged()
})

test('streams that are left at the same moment are counted one after another', async () => {
  const opened = []
  for (let i = 0; i < 8; i++) opened.push(await taste())
  await leaving(...opened.map(({ reader }) => reader))
  const streams = opened.map(({ stream }) => stream)
  const isOpen = ({ seen }: ScriptedStream) => !seen.closed
  await eventually('two are broken off', () => streams.filter(isOpen).length === 6)
  for (const stream of streams.filter(isOpen)) complete(stream)
  await atRest()
  const ends = await records()
  assert.deepEqual(ends.toSorted(), [
    ...Array<string>(2).fill('cancelled'),
    ...Array<string>(6).fill('completed'),
  ])
})

test('one answer that is worth more than the allowance by itself is finished and charged', async () => {
  const { stream, reader } = await taste({ text: TEXT.repeat(3) })
  await leaving(reader)
  complete(stream, 3 * TOKENS)
  await atRest()
  assert.deepEqual(await records(), ['completed'])
  assert.equal(await unpaid(), 0n)
})

test('streams of a free model are left as often as one likes, and not counted', async () => {
  await leaveFree()
  await leaveFree()
  await leaveCharged()
  for (let i = 0; i < 3; i++) await leaveFree({ body: { model: 'lab/bure' }, text: TEXT.repeat(3) })
  const counted = await unpaid()
  assert.ok(counted < 71_000_000n, String(counted))
})

test('what could not be collected counts too', async () => {
  await app.db.query(
    `insert into uncollected (key, account_id, amount_micro, description, created_at)
     values ($1::uuid::text, $1::uuid, 70000000, 'lab/mto', $2)`,
    [asha.accountId, clock.now()],
  )
  const { stream, reader } = await taste()
  await leaving(reader)
  complete(stream)
  await atRest()
  assert.deepEqual(await records(), ['completed'])
  await app.db.query('delete from uncollected where account_id = $1', [asha.accountId])
})

test('the owner is told once in 24 hours, with the figures', async () => {
  await leaveFree()
  await leaveFree()
  assert.deepEqual(await notices(), [])
  const told = await chargedUntilTold(1)
  const { model, allowance_credits, unpaid_credits } = told.data
  assert.deepEqual({ model, allowance_credits }, { model: 'lab/mto', allowance_credits: 100 })
  assert.ok(Number(unpaid_credits) > 70 && Number(unpaid_credits) < 71, String(unpaid_credits))
  await leaveCharged()
  clock.push(DAY_MS)
  // What was charged has raised it.
  for (let i = 0; i < 3; i++) await leaveFree()
  assert.equal((await notices()).length, 1)
  await chargedUntilTold(2)
})

/** Not at the first, should the database have been too slow to say why. */
const chargedUntilTold = (times: number) =>
  eventually(`the owner is told ${times} times`, async () => {
    await leaveCharged()
    return (await notices())[times - 1]
  })

test('streams that are left before they begin are counted, and refuse no others', async () => {
  let left = 0
  // An account without an allowance that ends would leave for ever.
  while (left < 12) {
    const { stream, isAborted } = await leaveAtOnce()
    if (!isAborted) {
      complete(stream)
      break
    }
    left += 1
    await atRest()
  }
  await atRest()
  // Ten credits are held for each answer, and it may be written by then.
  assert.ok(left >= 9 && left <= 11, String(left))
  assert.deepEqual(await records(), [...Array<string>(left).fill('cancelled'), 'completed'])
  await finishes()
})

async function leaveAtOnce() {
  const hangUp = new AbortController()
  const messages = [{ role: 'user', content: 'Habari' }]
  const answer = fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'lab/mto', stream: true, messages, max_tokens: 1_000 }),
    signal: hangUp.signal,
  })
  const stream = await model.next()
  const beganMs = performance.now()
  await eventually('all that is held may be written', () => performance.now() > beganMs + 1_000)
  hangUp.abort()
  await assert.rejects(answer)
  const isAborted = await eventually('it is decided', async () => {
    if (stream.seen.closed) return { is: true }
    return (await notices()).length > 0 && { is: false }
  })
  return { stream, isAborted: isAborted.is }
}
