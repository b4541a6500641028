import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { testClock } from '../../support/accounts.ts'
import { startApp } from '../../support/app.ts'
import { freshDatabase } from '../../support/databases.ts'
import { setBalance } from '../../support/customer.ts'
import { eventually } from '../../support/eventually.ts'
import { finish, LATER, piece, scriptedModel } from '../../support/models/scripted-model.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { noHolds } from '../../support/money/no-holds.ts'
import { startReplica } from '../../support/replica.ts'
import { makePdf } from '../../support/samples/pdf.ts'
import { readStream, watchLeaving } from '../../support/stream-reader.ts'

/*
 * A link or a file of unknown size does not block an account: it is held at what such things usually
 * cost, for one call at a time.
 */

type App = Awaited<ReturnType<typeof startApp>>
const DAY_MS = 24 * 3_600_000

/** 0.03 credits for any token: the context is 30,000 credits, a usual film 480. */
const MODEL = {
  id: 'lab/mto',
  upstream_id: 'mto',
  pricing: { prompt: '0.00001', completion: '0.00001' },
  context_length: 1_000_000,
  architecture: {
    input_modalities: ['text', 'image', 'video', 'file'],
    output_modalities: ['text'],
  },
}

const clock = testClock()
let model: Awaited<ReturnType<typeof scriptedModel>>
let databaseUrl: string
let app: App
let other: App
let leaving: ReturnType<typeof watchLeaving>

const entry = () => ({ ...model.entry('openai'), models: [MODEL] })

before(async () => {
  model = await scriptedModel()
  databaseUrl = await freshDatabase()
  const options = { databaseUrl, clock, upstream: entry() }
  app = await startApp(options)
  // Either may be the one that sends a message.
  leaving = watchLeaving(app.rooms.server.http)
  other = await startApp({ ...options, env: { DATA_DIR: app.dataDir } })
})
after(async () => {
  await other.close()
  await app.close()
  await model.close()
})
afterEach(async () => {
  await noHolds(app)
  await assertAgreement(app.db)
})

const UNREADABLE = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(300_000, 0xee)])
const inline = (bytes: Buffer) => `data:application/pdf;base64,${bytes.toString('base64')}`
const FILM = { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }
const PICTURE = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
const PARTS: [what: string, part: object][] = [
  ['a linked film', FILM],
  ['a linked picture', PICTURE],
  ['a linked PDF', { type: 'file', file: { file_data: 'https://example.com/a.pdf' } }],
  [
    'a PDF whose pages cannot be counted',
    { type: 'file', file: { file_data: inline(UNREADABLE) } },
  ],
]
const about = (part: object) => ({
  model: MODEL.id,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Eleza' }, part] }],
})
const ask = (token: string, part: object, at = app) =>
  at.call('POST /v1/chat/completions', { token, body: { ...about(part), max_tokens: 100 } })

const balanceOf = async (token: string) =>
  (await app.call('GET /v1/billing/balance', { token })).body.data

for (const [what, part] of PARTS) {
  test(`a new account gets its answer about ${what}, and pays what it cost`, async () => {
    const { key, token } = await app.customer('100')
    const answer = await ask(key, part)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    // Three tokens and two.
    assert.equal((await balanceOf(token)).available_credits, 99.85)
  })
}

test('in every dialect, and for a document to be analyzed', async () => {
  const { key } = await app.customer('100')
  const url = 'https://example.com/a.png'
  const asked: [string, object][] = [
    [
      '/v1/messages',
      {
        max_tokens: 500,
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
      },
    ],
    [
      '/v1/responses',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] },
    ],
    [
      '/v1/documents/analyze',
      { prompt: 'Eleza', document: { data: UNREADABLE.toString('base64') } },
    ],
  ]
  for (const [path, body] of asked) {
    const answer = await app.call(`POST ${path}`, {
      token: key,
      body: { model: MODEL.id, ...body },
    })
    assert.equal(answer.status, 200, `${path} ${JSON.stringify(answer.body)}`)
  }
})

/** A stream that is open, about something of unknown size. */
async function open(key: string, url = app.url) {
  const reading = readStream(url, key, about(FILM))
  const stream = await model.next()
  stream.send(piece('Naona '))
  const reader = await reading
  await reader.until('Naona')
  return { stream, reader }
}

function usage(prompt: number) {
  const tokens = { prompt_tokens: prompt, completion_tokens: 2, total_tokens: prompt + 2 }
  return { id: 'gen-1', choices: [], usage: tokens }
}

async function end({ stream, reader }: Awaited<ReturnType<typeof open>>, prompt = 3) {
  stream.send(finish(), usage(prompt))
  stream.done()
  assert.match(await reader.whole(), /DONE/)
}

test('429: a second one at the same time, in any process, and in any way', async () => {
  const { key, token } = await app.customer('5000')
  const first = await open(key)
  const held = await balanceOf(token)
  assert.ok(held.reserved_credits > 480 && held.reserved_credits < 500, 'a usual film')
  for (const [at, part] of [
    [app, FILM],
    [other, FILM],
  ] as const) {
    const { status, body, headers } = await ask(key, part, at)
    assert.equal(status, 429)
    assert.equal(body.error.code, 'rate_limit_exceeded')
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  const analysis = {
    model: MODEL.id,
    prompt: 'Eleza',
    document: { data: UNREADABLE.toString('base64') },
  }
  const refused = await other.call('POST /v1/documents/analyze', { token: key, body: analysis })
  assert.deepEqual([refused.status, refused.body.error_code], [429, 'rate_limited'])
  // What is known is not touched by it, and neither is another account.
  const text = { type: 'text', text: 'Habari' }
  const sent = { type: 'file', file: { file_data: inline(makePdf(1)) } }
  // Half of what is left pays for any picture.
  for (const part of [text, sent, PICTURE]) assert.equal((await ask(key, part, other)).status, 200)
  assert.equal((await ask((await app.customer('100')).key, FILM, other)).status, 200)
  await end(first)
  assert.equal((await ask(key, FILM, other)).status, 200)
})

test('at the same moment in two processes: one of them', async () => {
  const { key } = await app.customer('100')
  const answers = [app, other].map((at) => readStream(at.url, key, about(FILM)))
  const stream = await model.next()
  // Only one is answered while the other has not been: it waits for the model.
  assert.equal((await Promise.race(answers)).status, 429)
  stream.answerAtOnce()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(new Set(statuses), new Set([200, 429]))
})

test('an account that can pay the worst case is not kept to one at a time', async () => {
  const { key } = await app.customer('200000')
  const both = [await open(key), await open(key, other.url)]
  for (const one of both) await end(one)
})

test('402: not even the text and the least of an answer are there', async () => {
  const { key } = await app.customer('0.5')
  const { status, body } = await ask(key, FILM)
  assert.equal(status, 402)
  assert.equal(body.error.available, 0.5)
  assert.ok(body.error.needed > 0.5 && body.error.needed < 10, JSON.stringify(body))
})

test('what the money allows is told to the upstream, and where it ends the reason is length', async () => {
  const { key } = await app.customer('100')
  const long = { ...about(FILM), max_tokens: 50_000, stream: true }
  const reading = readStream(app.url, key, long)
  const stream = await model.next()
  // Half of 100 credits is for the answer, since a usual film alone is more than there is.
  const { max_tokens: told } = JSON.parse(stream.request.body) as { max_tokens: number }
  assert.ok(told > 1_500 && told <= 1_667, String(told))
  const cut = { id: 'gen-1', choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }
  stream.send(piece('Naona'), cut, usage(300))
  stream.done()
  assert.match(await (await reading).whole(), /"finish_reason":"length"[^]*DONE/)
})

async function records(accountId: string) {
  return app.db.query<{ status: string; cost_micro: bigint; waived_micro: bigint | null }>(
    `select status, cost_micro, waived_micro from activity_records where account_id = $1
     order by created_at, id`,
    [accountId],
  )
}

const uncollected = async (accountId: string) =>
  (
    await app.db.query<{ amount_micro: bigint }>(
      'select amount_micro from uncollected where account_id = $1 order by created_at',
      [accountId],
    )
  ).map((row) => Number(row.amount_micro) / 1e6)

/** Its prompt was so many tokens, and the account has 100 credits again. */
async function costs(prompt: number, customer: { key: string; accountId: string }) {
  await end(await open(customer.key), prompt)
  await setBalance(app.db, customer.accountId, '100')
}

test('what a call costs beyond the balance is not collected, and counts in the allowance', async () => {
  const customer = await app.customer('100')
  await costs(5_000, customer)
  assert.deepEqual(await uncollected(customer.accountId), [50.06])
  // The allowance is 100 credits and a tenth of what was spent: 50 of it are left, then nothing.
  await costs(5_998, customer)
  assert.deepEqual(await uncollected(customer.accountId), [50.06, 80])
  for (const at of [app, other]) assert.equal((await ask(customer.key, FILM, at)).status, 402)
  clock.push(DAY_MS)
  assert.equal((await ask(customer.key, FILM)).status, 200)
})

test('usage.cost is what was collected, not what the call came to', async () => {
  const { key } = await app.customer('100')
  const asked = { ...about(FILM), stream: true, usage: { include: true } }
  const reading = readStream(app.url, key, asked)
  const stream = await model.next()
  stream.send(piece('Naona'), finish(), usage(5_000))
  stream.done()
  const [cost] = (await (await reading).whole()).match(/(?<="cost":)[^,}]+/)!
  assert.equal(cost, '100')
})

test('402: after a call that cost far more the worst case is asked, for 30 days', async () => {
  const customer = await app.customer('100')
  const { key, accountId } = customer
  await costs(500_000, customer)
  assert.deepEqual(await uncollected(accountId), [14_900.06])
  clock.push(28 * DAY_MS)
  for (const [at, part, needed] of [
    [app, FILM, 30_000],
    [other, FILM, 30_000],
    [app, PICTURE, 1_105],
  ] as const) {
    const { status, body } = await ask(key, part, at)
    assert.equal(status, 402)
    assert.equal(body.error.available, 100)
    assert.ok(Math.abs(body.error.needed - needed) < 10, JSON.stringify(body))
  }
  assert.equal((await ask(key, { type: 'text', text: 'Habari' })).status, 200)
  clock.push(2 * DAY_MS)
  assert.equal((await ask(key, FILM)).status, 200)
})

test('402: who never paid is asked for the worst case once too much was left unpaid that day', async () => {
  const tight = await startApp({ upstream: entry(), env: { UNPAID_DAILY_CREDITS: '20' } })
  const first = await tight.customer('100')
  await end(await open(first.key, tight.url), 5_000)
  const next = await tight.customer('100')
  await eventually('the worst case is asked', async () => {
    return (await ask(next.key, FILM, tight)).status === 402
  })
  await assertAgreement(tight.db)
  await tight.close()
})

test('one that is left runs to its end, where it is known what it was worth', async () => {
  const { key, accountId, token } = await app.customer('100')
  const leave = async (prompt: number) => {
    const { stream, reader } = await open(key)
    await leaving(reader)
    assert.equal((await ask(key, FILM, other)).status, 429)
    assert.equal(stream.seen.closed, false)
    stream.send(piece('mto.'), finish(), usage(prompt))
    stream.done()
    await noHolds(app)
  }
  await leave(3_000)
  assert.deepEqual(await records(accountId), [
    { status: 'cancelled', cost_micro: 0n, waived_micro: 90_060_000n },
  ])
  assert.equal((await balanceOf(token)).balance_credits, 100)
  // Ten credits of the allowance are left: what is beyond is charged as completed.
  await leave(1_000)
  assert.equal((await balanceOf(token)).balance_credits, 69.94)
})

test('so does a whole answer', async () => {
  const { key, accountId, token } = await app.customer('100')
  const messages = [{ role: 'user', content: [{ type: 'text', text: LATER }, FILM] }]
  const caller = new AbortController()
  const asking = fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL.id, messages }),
    signal: caller.signal,
  })
  const answer = await model.next()
  const noticed = leaving()
  caller.abort()
  await assert.rejects(asking)
  await noticed
  assert.equal(answer.seen.closed, false)
  answer.answerWhole()
  await noHolds(app)
  assert.deepEqual(await records(accountId), [
    { status: 'cancelled', cost_micro: 0n, waived_micro: 150_000n },
  ])
  assert.equal((await balanceOf(token)).balance_credits, 100)
})

test('a picture is no reason to go on', async () => {
  const { key, accountId } = await app.customer('100')
  const reading = readStream(app.url, key, about(PICTURE))
  const stream = await model.next()
  stream.send(piece('Naona '))
  const reader = await reading
  await reader.until('Naona')
  await leaving(reader)
  await stream.closed
  await noHolds(app)
  assert.equal((await records(accountId))[0]!.status, 'cancelled')
})

test('the process that died keeps nobody waiting', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mlango-unknown-'))
  const file = join(folder, 'upstreams.json')
  const upstream = { name: 'sim', api_key_env: 'LAB_KEY', ...entry() }
  await writeFile(file, JSON.stringify({ upstreams: [upstream] }))
  const replica = await startReplica({
    UPSTREAMS_FILE: file,
    LAB_KEY: 'lab',
    PAYMENT_PROVIDER: 'simulator',
    ALLOW_SIMULATED_PAYMENTS: 'true',
    DATA_DIR: app.dataDir,
    DATABASE_URL: databaseUrl,
    MASTER_KEY: 'a master key for tests, long enough',
  })
  const { key } = await app.customer('100')
  await open(key, replica.url)
  assert.equal((await ask(key, FILM)).status, 429)
  replica.kill('SIGKILL')
  await replica.ended
  await app.db.query(
    `update processes set beat_at = beat_at - interval '60 s'
     where id in (select owner_process from holds)`,
  )
  await app.db.query(`update holds set created_at = created_at - interval '60 s'`)
  await noHolds(app)
  assert.equal((await ask(key, FILM)).status, 200)
  await rm(folder, { recursive: true, force: true })
})
