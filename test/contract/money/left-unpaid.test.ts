import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
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
} from '../../support/models/scripted-model.ts'
import { readStream, watchLeaving, type StreamReader } from '../../support/stream-reader.ts'
import { eventually } from '../../support/eventually.ts'
import { noHolds } from '../../support/money/no-holds.ts'

/* Readers who leave before the end, over and over: what that may be worth in a day is limited. */

type App = Awaited<ReturnType<typeof startApp>>
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Worth 9 credits: two of them are within the limit of 20, three are beyond. */
const TEXT = 'maji '.repeat(180)

const clock = testClock()
let model: Awaited<ReturnType<typeof scriptedModel>>
let databaseUrl: string
let app: App
let leaving: ReturnType<typeof watchLeaving>
let asha: Awaited<ReturnType<App['customer']>>

const openApp = () => startApp({ databaseUrl, clock, upstream: model.entry('openai') })

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
  asha = await app.customer('1000000')
})
afterEach(async () => {
  await noHolds(app)
  await assertAgreement(app.db)
})

/** Reads all but the end. */
async function taste(key = asha.key, url = app.url, text = TEXT) {
  const reading = readStream(url, key)
  const stream = await model.next()
  stream.send(piece(text))
  const reader = await reading
  await reader.until(text)
  return { stream, reader }
}

async function tasteAndLeave(key?: string): Promise<void> {
  const { stream, reader } = await taste(key)
  await leaving(reader)
  await stream.closed
  // Until it is committed, and known here.
  await eventually('nothing runs', () => app.rooms.server.context.running.count === 0)
}

/** Of a call that is to be refused. */
async function refusal(key = asha.key, url = app.url): Promise<StreamReader> {
  const reader = await readStream(url, key, { messages: [{ role: 'user', content: AT_ONCE }] })
  await reader.whole()
  return reader
}

/** Reads a stream to its end. */
async function finishes(key = asha.key, url = app.url): Promise<void> {
  const { stream, reader } = await taste(key, url)
  stream.send(finish(), usage(7))
  stream.done()
  assert.match(await reader.whole(), /DONE/)
}

async function records(accountId = asha.accountId): Promise<string[]> {
  const rows = await app.db.query<{ status: string }>(
    'select status from activity_records where account_id = $1',
    [accountId],
  )
  return rows.map(({ status }) => status).sort()
}

const keyOf = async ({ token }: { token: string }): Promise<string> =>
  (await app.call('POST /v1/api-keys', { token, body: { name: 'another' } })).body.data.key

async function goBeyond(): Promise<void> {
  // A new key for each changes nothing.
  for (let i = 0; i < 3; i++) await tasteAndLeave(await keyOf(asha))
}

test('who leaves too much unpaid gets no more streams, with any key, in any process', async () => {
  await tasteAndLeave()
  await tasteAndLeave()
  await finishes()
  await tasteAndLeave(await keyOf(asha))
  assert.deepEqual(await records(), ['cancelled', 'cancelled', 'cancelled', 'completed'])

  const other = await openApp()
  try {
    for (const [key, url] of [
      [asha.key, app.url],
      [await keyOf(asha), app.url],
      [asha.token, app.url],
      [asha.key, other.url],
    ] as const) {
      const refused = await refusal(key, url)
      assert.equal(refused.status, 429)
      assert.match(refused.text, /"type":"rate_limit_exceeded".*"code":"rate_limit_exceeded"/)
      assert.equal(refused.headers['x-should-retry'], 'false')
      const waitS = Number(refused.headers['retry-after'])
      assert.ok(waitS <= DAY_MS / 1_000 && waitS > DAY_MS / 1_000 - 60, String(waitS))
    }
  } finally {
    await other.close()
  }
})

test('whole answers still work, and other accounts are not concerned', async () => {
  await goBeyond()
  const body = { model: 'lab/mto', messages: [{ role: 'user', content: 'Habari' }] }
  const whole = await app.call('POST /v1/chat/completions', { token: asha.key, body })
  assert.equal(whole.status, 200)
  const juma = await app.customer('1000000')
  await finishes(juma.key)
})

test('it ends when enough of it is a day old', async () => {
  await tasteAndLeave()
  clock.push(HOUR_MS)
  await tasteAndLeave()
  await tasteAndLeave()
  clock.push(DAY_MS - 2 * HOUR_MS)
  const waitS = Number((await refusal()).headers['retry-after'])
  assert.ok(waitS <= HOUR_MS / 1_000 && waitS > HOUR_MS / 1_000 - 60, String(waitS))
  clock.push(waitS * 1_000)
  await finishes()
  // Two thirds of it still count.
  await tasteAndLeave()
  assert.equal((await refusal()).status, 429)
})

test('leaving many streams at the same moment is not cheaper', async () => {
  const opened = []
  for (let i = 0; i < 8; i++) opened.push(await taste())
  await leaving(...opened.map(({ reader }) => reader))
  for (const { stream } of opened) {
    stream.send(finish(), usage(300))
    stream.done()
  }
  await noHolds(app)
  // The third takes it beyond; the others are finished and charged.
  const ends = await records()
  const cancelled = ends.filter((end) => end === 'cancelled').length
  assert.ok(cancelled >= 2 && cancelled <= 3, ends.join())
  assert.equal(ends.length, 8)
})

test('one answer that is worth more than the limit is finished and charged', async () => {
  const { stream, reader } = await taste(asha.key, app.url, TEXT.repeat(3))
  await leaving(reader)
  stream.send(finish(), usage(900))
  stream.done()
  await noHolds(app)
  assert.deepEqual(await records(), ['completed'])
  // It was paid: nothing is counted as left.
  await finishes()
})

test('streams that are left before they begin are counted, and refuse no others', async () => {
  let left = 0
  let stream = await leaveAtOnce()
  // Each is worth a quarter of the limit, or more on a machine that is slow.
  while (left < 5 && (await isAborted(stream))) {
    left += 1
    await noHolds(app)
    stream = await leaveAtOnce()
  }
  assert.ok(left >= 2 && left <= 4, String(left))
  // Too much work was left: this one is finished and charged without its caller.
  stream.send(piece(TEXT), finish(), usage(7))
  stream.done()
  await noHolds(app)
  assert.deepEqual(await records(), [...Array<string>(left).fill('cancelled'), 'completed'])
  await finishes()
})

const isAborted = (stream: { closed: Promise<unknown> }) =>
  Promise.race([stream.closed.then(() => true), pause(2_000).then(() => false)])

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
  // Half of what is held for an answer may be said by then.
  await pause(1_000)
  hangUp.abort()
  await assert.rejects(answer)
  return stream
}
