import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import { watch } from '../../support/money/paid.ts'
import { finish, piece, scriptedModel, usage } from '../../support/models/scripted-model.ts'
import { readStream } from '../../support/stream-reader.ts'
import { noHolds } from '../../support/money/no-holds.ts'

/* A slow reader is nobody's failure but the reader's: the upstream is not blamed, others are served. */

type App = Awaited<ReturnType<typeof startApp>>
/** Far longer than it takes to fill the buffers of six readers on a busy machine. */
const TOTAL_MS = 12_000
/** As many failures in a row open a circuit, and one more. */
const READERS = 6
const LARGE = piece('maji '.repeat(1_000))

let model: Awaited<ReturnType<typeof scriptedModel>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>
/** The service's ends of the calls, in their order. */
const responses: ServerResponse[] = []

before(async () => {
  model = await scriptedModel()
  const timeouts = { total_ms: TOTAL_MS, idle_ms: 2_000 }
  // What fills every buffer on the way is worth more than may be left unpaid.
  const env = { UNPAID_CREDITS: '1000000' }
  app = await startApp({ env, upstream: model.entry('openai', timeouts) })
  // Rich: the answers of an account that cannot pay for all of it are read ahead of the reader.
  asha = await app.customer('1000000')
  app.rooms.server.http.on('request', (_request, response: ServerResponse) =>
    responses.push(response),
  )
})
after(async () => {
  await app.close()
  await model.close()
})
afterEach(() => assertAgreement(app.db))

/** Reads a little, then nothing, until the service has no more room for it and lets the upstream wait. */
async function openStalled() {
  const reading = readStream(app.url, asha.key)
  const stream = await model.next()
  const response = responses.at(-1)!
  stream.send(piece('Jibu'))
  const reader = await reading
  await reader.until('Jibu')
  reader.pause()
  const fill = () => fillUntilItWaits(stream, response)
  await fill()
  return { stream, reader, response, fill }
}

/** In one process: each turn of the loop gives all ends their chance to take some more. */
async function fillUntilItWaits(
  stream: Awaited<ReturnType<typeof model.next>>,
  response: ServerResponse,
): Promise<void> {
  let fullTurns = 0
  await stream.flood(LARGE, () => {
    fullTurns = response.socket?.writableNeedDrain === true ? fullTurns + 1 : 0
    return fullTurns > 50
  })
}

async function assertOthersAreServed(): Promise<void> {
  assert.deepEqual(app.rooms.upstreams.problems(), [])
  const body = { model: 'lab/mto', messages: [{ role: 'user', content: 'Habari' }] }
  const juma = await app.customer('1')
  const answer = await app.call('POST /v1/chat/completions', { token: juma.key, body })
  assert.equal(answer.status, 200)
}

test('the time of the upstream does not pass while it waits for slow readers', async () => {
  const ends: string[] = []
  const { records } = await watch(app, asha.accountId).during(async () => {
    const opened = await Promise.all(Array.from({ length: READERS }, openOneByOne))
    await pause(TOTAL_MS * 1.5)
    for (const { stream, reader } of opened) {
      reader.resume()
      stream.send(finish(), usage(7))
      stream.done()
    }
    for (const { reader } of opened) {
      const whole = await reader.whole()
      assert.doesNotMatch(whole, /"finish_reason":"length"/)
      ends.push(whole.slice(-14))
    }
  })
  assert.deepEqual(
    ends,
    Array.from({ length: READERS }, () => 'data: [DONE]\n\n'),
  )
  await assertOthersAreServed()
  assert.deepEqual(
    records.map(({ status }) => status),
    Array.from({ length: READERS }, () => 'completed'),
  )
})

test('a short answer is paid, read or not', async () => {
  const { records } = await watch(app, asha.accountId).during(async () => {
    const reading = readStream(app.url, asha.key)
    const stream = await model.next()
    stream.send(piece('Jibu'))
    const reader = await reading
    reader.pause()
    stream.send(piece(' zima'), finish(), usage(7))
    stream.done()
    await noHolds(app)
    reader.leave()
  })
  assert.deepEqual(
    records.map(({ status }) => status),
    ['completed'],
  )
})

test('a reader who takes nothing has left: cancelled, counted, and no failure of the upstream', async () => {
  const { records, spent } = await watch(app, asha.accountId).during(async () => {
    const { stream, response } = await openStalled()
    assert.equal(response.socket!.timeout, 60_000)
    // A minute, in fast motion.
    response.setTimeout(100)
    await once(response, 'close')
    await stream.closed
  })
  assert.equal(spent, 0)
  assert.deepEqual(
    records.map(({ status, error_code }) => [status, error_code]),
    [['cancelled', 'caller_left']],
  )
  await assertOthersAreServed()
  const [row] = await app.db.query<{ worth_micro: bigint }>('select worth_micro from unpaid_work')
  assert.ok(row!.worth_micro > 0n)
})

test('upstreams that give up on slow readers have not failed; the readers have left', async () => {
  const juma = asha
  asha = await app.customer('1000000')
  try {
    const { records } = await watch(app, asha.accountId).during(async () => {
      const opened = await Promise.all(Array.from({ length: READERS }, openOneByOne))
      await pause(1_200)
      for (const { stream, reader, fill } of opened) {
        // A buffer on the way may have grown meanwhile.
        await fill()
        stream.reset()
        reader.resume()
      }
      for (const { reader } of opened) {
        assert.match((await reader.whole()).slice(-300), /"error":[^\n]*\n\n$/)
      }
    })
    assert.deepEqual(
      records.map(({ status, error_code }) => [status, error_code]),
      Array.from({ length: READERS }, () => ['cancelled', 'caller_left']),
    )
    await assertOthersAreServed()
  } finally {
    asha = juma
  }
})

/** One after another, so that each reader is matched with its stream. */
let turn: Promise<unknown> = Promise.resolve()
function openOneByOne(): ReturnType<typeof openStalled> {
  const opened = turn.then(openStalled)
  turn = opened
  return opened
}

test('answers that outlast our clock end with length, are paid, and are no failure of the upstream', async () => {
  const juma = await app.customer('1000')
  const { records, spent } = await watch(app, juma.accountId).during(async () => {
    await Promise.all(Array.from({ length: READERS }, () => outlast(juma.key)))
  })
  assert.ok(spent > 0)
  assert.deepEqual(
    records.map(({ status }) => status),
    Array.from({ length: READERS }, () => 'completed'),
  )
  await assertOthersAreServed()
})

/** It goes on speaking: only the total clock can end it. */
async function outlast(key: string): Promise<void> {
  const reading = readStream(app.url, key)
  const stream = await model.next()
  stream.send(piece('maji '.repeat(20)))
  const reader = await reading
  while (!stream.seen.closed) {
    stream.send(piece('maji '))
    await pause(100)
  }
  assert.match(await reader.whole(), /"finish_reason":"length"[^\n]*\n\ndata: \[DONE\]\n\n$/)
}
