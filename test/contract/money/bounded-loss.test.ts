import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import { startTalker, type Talker, type TalkerCall } from '../../support/models/talker.ts'
import { eventually } from '../../support/eventually.ts'
import { noHolds } from '../../support/money/no-holds.ts'

/*
 * Whatever an account does, what it costs at catalog prices is no more than a tenth and ten credits
 * above what it pays.
 */

type App = Awaited<ReturnType<typeof startApp>>
let talker: Talker
let app: App

/** Credits for a million tokens, in and out. */
const PRICES: Record<string, [number, number]> = {
  'talk/dear': [7_500, 30_000],
  'talk/cheap': [1_500, 6_000],
  'talk/thinker': [7_500, 30_000],
}
const HOSTILE = Object.keys(PRICES)
/** Dear, and slow: with eight choices it thinks for 192 credits in a second. */
PRICES['talk/brooder'] = [7_500, 120_000]
/** The same price as the dear one: one says little, and one is listened to alone and may be quick. */
for (const id of ['talk/short', 'talk/quick']) PRICES[id] = PRICES['talk/dear']!

function record(id: string, more: object = {}) {
  const [prompt, completion] = PRICES[id]!.map((credits) => String(credits / 3_000 / 1e6))
  return {
    id,
    name: id,
    context_length: 131_072,
    top_provider: { max_completion_tokens: 16_384 },
    architecture: { input_modalities: ['text'], output_modalities: ['text'] },
    pricing: { prompt, completion },
    supported_parameters: ['max_tokens'],
    ...more,
  }
}

before(async () => {
  talker = await startTalker({
    'talk/short': { longest: 250 },
    'talk/quick': { tokens: 16, everyMs: 8 },
    'talk/cheap': { tokens: 8 },
    'talk/thinker': { tokens: 8, thinks: true },
    'talk/brooder': { tokens: 2, thinks: true },
  })
  const models = [
    record('talk/dear'),
    record('talk/cheap'),
    record('talk/short'),
    record('talk/quick'),
    record('talk/thinker', { supported_parameters: ['max_tokens', 'reasoning'] }),
    record('talk/brooder', { supported_parameters: ['max_tokens', 'reasoning'] }),
  ]
  const upstream = { type: 'openai', base_url: talker.url, sync: false, models }
  // Less than the default, so that it is soon used.
  app = await startApp({ upstream, env: { UNPAID_CREDITS: '20' } })
})
after(async () => {
  await app.close()
  await talker.close()
})
afterEach(() => assertAgreement(app.db))

type Body = Record<string, unknown>
type Heard = { status: number; text: string; finish: string | undefined }

async function ask(
  key: string,
  body: Body,
  { readAfterMs = 0, signal }: { readAfterMs?: number; signal?: AbortSignal } = {},
): Promise<Heard> {
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: '7' }], ...body }),
    signal: signal ?? null,
  })
  if (readAfterMs > 0) await new Promise((done) => setTimeout(done, readAfterMs))
  const text = await answer.text()
  const finish = /"finish_reason":"([a-z_]+)"/.exec(text)?.[1]
  return { status: answer.status, text, finish }
}

function costOf(calls: TalkerCall[]): number {
  return calls.reduce((sum, call) => {
    const [prompt, completion] = PRICES[call.model]!
    return sum + (call.promptTokens * prompt + call.said * completion) / 1e6
  }, 0)
}

async function chargedTo(accountId: string): Promise<number> {
  const [row] = await app.db.query<{ sum: string | null }>(
    `select sum(-amount_micro)::text from ledger_entries where account_id = $1 and type = 'usage'`,
    [accountId],
  )
  return Number(row!.sum ?? 0) / 1e6
}

/** Plays a strategy until the account is empty, or for some rounds, and reckons. */
async function reckon(
  credits: string,
  bodies: Body[],
  { rounds = 3, readAfterMs = 0 }: { rounds?: number; readAfterMs?: number } = {},
) {
  const thief = await app.customer(credits)
  talker.calls.length = 0
  const answers: Heard[] = []
  for (let round = 0; round < rounds; round++) {
    const calls = bodies.map((body) => ask(thief.key, body, { readAfterMs }))
    answers.push(...(await Promise.all(calls)))
  }
  const [cost, charged] = [costOf(talker.calls), await chargedTo(thief.accountId)]
  const told = `cost ${cost.toFixed(2)}, paid ${charged.toFixed(2)}`
  assert.ok(cost - charged <= charged / 10 + 10, told)
  for (const { status } of answers) assert.ok(status === 200 || status === 402, String(status))
  return { answers, cost, charged, told }
}

const times = (count: number, body: Body): Body[] => Array.from({ length: count }, () => body)
/** A token for each byte. */
const dense = (bytes: number) => [{ role: 'user', content: '7'.repeat(bytes) }]

for (const model of HOSTILE) {
  for (const stream of [true, false]) {
    const how = `${model}, ${stream ? 'streamed' : 'whole'}`
    const credits = model === 'talk/cheap' ? '12' : '100'

    test(`ten at once without a limit: ${how}`, async () => {
      const { answers, told } = await reckon(credits, times(10, { model, stream }))
      assert.ok(
        answers.some((one) => one.status === 200),
        told,
      )
    })

    test(`twenty at once that want a million tokens: ${how}`, async () => {
      const body = { model, stream, max_tokens: 1_000_000 }
      await reckon(credits, times(20, body), { rounds: 2 })
    })

    test(`several choices: ${how}`, async () => {
      await reckon(credits, times(5, { model, stream, n: 4 }), { rounds: 2 })
    })

    test(`prompts with a token for each byte: ${how}`, async () => {
      await reckon(credits, times(10, { model, stream, messages: dense(4_000), max_tokens: 300 }))
    })
  }
}

test('readers who take their time', async () => {
  const body = { model: 'talk/dear', stream: true }
  await reckon('100', times(10, body), { rounds: 1, readAfterMs: 3_000 })
})

test('many small calls, until nothing is left', async () => {
  const bodies = ['talk/dear', 'talk/cheap', 'talk/thinker'].flatMap((model) =>
    [true, false].flatMap((stream) => times(3, { model, stream, max_tokens: 40 })),
  )
  const { answers } = await reckon('30', bodies, { rounds: 8 })
  assert.ok(answers.some((one) => one.status === 402))
})

test('every kind of call at once', async () => {
  const bodies = HOSTILE.flatMap((model) => [
    { model, stream: true },
    { model, stream: false },
    { model, stream: true, max_completion_tokens: 100_000, n: 2 },
    { model, stream: false, messages: dense(2_000) },
    { model, stream: true, max_tokens: 5 },
  ])
  await reckon('60', bodies)
})

for (const stream of [true, false]) {
  const how = stream ? 'streamed' : 'whole'
  test(`honest: five at once without a limit at 10 USD per million are all answered: ${how}`, async () => {
    const bodies = times(5, { model: 'talk/short', stream })
    const { answers } = await reckon('100', bodies, { rounds: 1 })
    assert.equal(talker.calls.length, 5)
    for (const { state, said } of talker.calls) assert.deepEqual([state, said], ['finished', 250])
    for (const { status } of answers) assert.equal(status, 200)
  })
}

for (const stream of [true, false]) {
  for (const max of [undefined, 1_000_000]) {
    const how = `${stream ? 'streamed' : 'whole'}, ${max === undefined ? 'without' : 'with a huge'} max_tokens`
    test(`honest: one long answer may use all credits: ${how}`, async () => {
      const body = {
        model: 'talk/quick',
        stream,
        ...(max === undefined ? {} : { max_tokens: max }),
      }
      const { answers, charged } = await reckon('100', [body], { rounds: 1 })
      assert.deepEqual([answers[0]!.status, answers[0]!.finish], [200, 'length'])
      assert.ok(charged > 95, `${charged} of 100`)
    })
  }
}

test('an answer that the money ends has finish_reason length, and is charged as an estimate', async () => {
  const thief = await app.customer('25')
  const bodies = [true, false].flatMap((stream) => times(3, { model: 'talk/dear', stream }))
  talker.calls.length = 0
  const answers = await Promise.all(bodies.map((body) => ask(thief.key, body)))
  assert.ok(talker.calls.some((call) => call.state === 'cut off'))
  for (const { status, finish } of answers) if (status === 200) assert.equal(finish, 'length')
  const rows = await app.db.query<{ estimated: boolean }>(
    'select estimated from activity_records where account_id = $1 and cost_micro > 0',
    [thief.accountId],
  )
  const cut = talker.calls.filter((call) => call.state === 'cut off').length
  assert.equal(rows.filter((row) => row.estimated).length, cut)
})

test('callers who leave whole answers are counted, and beyond their allowance they pay', async () => {
  const thief = await app.customer('100')
  talker.calls.length = 0
  const body = { model: 'talk/dear', max_tokens: 300 }
  for (let round = 0; round < 10; round++) {
    const leaving = new AbortController()
    const calls = times(3, body).map((one) => ask(thief.key, one, { signal: leaving.signal }))
    // Until it has said something, or there is no more money.
    const answered = Promise.allSettled(calls)
    await Promise.race([answered, new Promise((done) => setTimeout(done, 300))])
    leaving.abort()
    await answered
    await noHolds(app)
  }
  const [cost, charged] = [costOf(talker.calls), await chargedTo(thief.accountId)]
  // The allowance is a fixed part and a tenth of what was spent.
  const told = `cost ${cost.toFixed(2)}, paid ${charged.toFixed(2)}`
  assert.ok(cost - charged <= charged / 10 + 10 + 20 + charged / 10, told)
  assert.ok(charged > 20, told)
})

test('a whole answer of which more was seen than may be left is paid for, whoever leaves it', async () => {
  const thief = await app.customer('1000')
  // 120 credits, and 40 by its bytes.
  await askAndLeave(thief, { model: 'talk/quick' }, 4_000)
  assert.ok(talker.calls[0]!.stream)
  await assertPaid(thief)
})

/** Half of its 96 credits are thoughts that nobody sees, in the first quarter of a second. */
const BROODS = { model: 'talk/brooder', n: 8, max_tokens: 100 }

for (const stream of [true, false]) {
  const how = stream ? 'streamed' : 'whole'
  test(`an answer (${how}) that is left while a model thinks for more than may be left is paid for`, async () => {
    const thief = await app.customer('1000')
    await askAndLeave(thief, { ...BROODS, stream }, 240)
    await assertPaid(thief)
  })
}

test('what a model thought before its first word counts when a stream is left there', async () => {
  const thief = await app.customer('1000')
  talker.calls.length = 0
  const leaving = new AbortController()
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${thief.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...BROODS, stream: true, messages: [{ role: 'user', content: '7' }] }),
    signal: leaving.signal,
  })
  await answer.body!.getReader().read()
  leaving.abort()
  await assertPaid(thief)
})

test('a model that thinks may be left soon: what it did is counted, and not charged', async () => {
  const honest = await app.customer('1000')
  await askAndLeave(honest, { model: 'talk/thinker', max_tokens: 8_000 }, 80)
  await noHolds(app)
  assert.equal(talker.calls[0]!.state, 'cut off')
  assert.equal(await chargedTo(honest.accountId), 0)
  const [row] = await app.db.query<{ status: string; waived_micro: bigint }>(
    'select status, waived_micro from activity_records where account_id = $1',
    [honest.accountId],
  )
  assert.equal(row!.status, 'cancelled')
  assert.ok(row!.waived_micro > 0n)
})

/** Leaves when the model has said, or thought, so many tokens. */
async function askAndLeave({ key }: { key: string }, body: Body, tokens: number): Promise<void> {
  talker.calls.length = 0
  const leaving = new AbortController()
  const left = assert.rejects(ask(key, body, { signal: leaving.signal }))
  await eventually(`${tokens} tokens are said`, () => (talker.calls[0]?.said ?? 0) >= tokens)
  leaving.abort()
  await left
}

/** Its one call was finished without it, and charged in full. */
async function assertPaid({ accountId }: { accountId: string }): Promise<void> {
  await noHolds(app)
  assert.deepEqual(
    talker.calls.map(({ state }) => state),
    ['finished'],
  )
  assert.equal((await chargedTo(accountId)).toFixed(3), costOf(talker.calls).toFixed(3))
}
