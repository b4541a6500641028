import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { drawPng } from '../../../simulator/models/picture.ts'
import { wav } from '../../../simulator/models/sound.ts'
import { startApp } from '../../support/app.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { eventually } from '../../support/eventually.ts'
import { noHolds } from '../../support/money/no-holds.ts'
import { freshDatabase } from '../../support/databases.ts'
import { piece, scriptedModel, usage as reported } from '../../support/models/scripted-model.ts'
import { uselessModel, type Said } from '../../support/models/useless-model.ts'

import { readStream } from '../../support/stream-reader.ts'

/* What an upstream made and bills for, and we refuse: not charged, but counted. */

type App = Awaited<ReturnType<typeof startApp>>
const TOKENS = { prompt: '0.000001', completion: '0.00001' }
const MODELS = {
  openai: [
    {
      id: 'lab/soga',
      pricing: TOKENS,
      input_modalities: ['text', 'image'],
      supported_parameters: ['tools'],
    },
    { id: 'lab/picha', pricing: { request: '0.002' }, output_modalities: ['image'] },
    { id: 'lab/chora', pricing: TOKENS, output_modalities: ['text', 'image'] },
    { id: 'lab/sema', pricing: { character: '0.0001' }, output_modalities: ['speech'] },
    {
      id: 'lab/sikia',
      pricing: { audio_second: '0.0001' },
      input_modalities: ['audio'],
      output_modalities: ['transcription'],
    },
    { id: 'lab/vekta', pricing: { prompt: '0.00001' }, output_modalities: ['embeddings'] },
    { id: 'lab/bure', pricing: { prompt: '0', completion: '0' } },
  ],
  gemini: [{ id: 'google/soga', pricing: TOKENS, supported_parameters: ['tools'] }],
}
const CAP = 25 * 1024 * 1024

let first: Awaited<ReturnType<typeof uselessModel>>
let second: Awaited<ReturnType<typeof uselessModel>>
let scripted: Awaited<ReturnType<typeof scriptedModel>>
let databaseUrl: string
let app: App

const openApp = () => {
  const entries = (['openai', 'gemini'] as const).flatMap((type) =>
    [first, second].map(({ url }, i) => ({
      name: `${type}${i}`,
      type,
      base_url: url,
      sync: false,
      priority: i + 1,
      models: MODELS[type].map((one) => ({ ...one, upstream_id: one.id, context_length: 100_000 })),
    })),
  )
  return startApp({ databaseUrl, upstream: [scripted.entry('openai'), ...entries] })
}

before(async () => {
  ;[first, second, scripted] = await Promise.all([uselessModel(), uselessModel(), scriptedModel()])
  databaseUrl = await freshDatabase()
  app = await openApp()
})
after(async () => {
  await app.close()
  await Promise.all([first, second, scripted].map((one) => one.close()))
})
afterEach(async () => {
  await noHolds(app)
  await assertAgreement(app.db)
})

const json = (value: unknown): Said => ({ body: JSON.stringify(value) })
/** 1,000 tokens sent and 200 written: 0.003 dollars, which are 9 credits. */
const usage = { prompt_tokens: 1_000, completion_tokens: 200 }
const geminiUsage = { promptTokenCount: 1_000, candidatesTokenCount: 200 }
const sse = (...events: unknown[]): Said => ({
  type: 'text/event-stream',
  body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
})
const message = (more: object) => ({ role: 'assistant', content: null, ...more })
const choice = (more: object) => ({ index: 0, finish_reason: 'stop', message: message(more) })
const badCall = choice({
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '[1]' } }],
})
const malformed = {
  candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }],
  usageMetadata: geminiUsage,
}

const messages = [{ role: 'user', content: 'Habari' }]
const chat = { model: 'lab/soga', messages }
const native = { model: 'lab/soga', max_tokens: 100, messages }
const picture = { prompt: 'Simba' }
const spoken = { model: 'lab/sema', input: 'a'.repeat(30) }
const sound = wav('Habari').toString('base64')
const voice = {
  audio_data: sound,
  audio_format: 'wav',
  stt_model: 'lab/sikia',
  text_model: 'lab/soga',
  tts_model: 'lab/sema',
}

type Case = {
  name: string
  route: string
  body: object
  said: Said
  kind: string
  /** What the upstream bills, in dollars; undefined: only we can estimate it. */
  usd?: number | undefined
  status?: number
  code?: string
}

const CASES: Case[] = [
  {
    name: 'a chat without choices',
    route: 'chat/completions',
    body: chat,
    said: json({ choices: [], usage }),
    kind: 'chat',
    usd: 0.003,
  },
  {
    name: 'a chat that is no JSON',
    route: 'chat/completions',
    body: chat,
    said: { body: '{"choices":[{' },
    kind: 'chat',
  },
  {
    name: 'a chat that is too long',
    route: 'chat/completions',
    body: chat,
    said: { body: Buffer.alloc(33 * 1024 * 1024, ' ') },
    kind: 'chat',
  },
  {
    name: 'a message whose tool gets no object',
    route: 'messages',
    body: { ...native, tools: [{ name: 'f', input_schema: { type: 'object' } }] },
    said: json({ choices: [badCall], usage }),
    kind: 'chat',
    usd: 0.003,
  },
  {
    name: 'a response whose tool gets no object',
    route: 'responses',
    body: { model: 'lab/soga', input: 'Habari', tools: [{ type: 'function', name: 'f' }] },
    said: json({ choices: [badCall], usage }),
    kind: 'chat',
    usd: 0.003,
  },
  {
    name: "Gemini's empty tool call",
    route: 'chat/completions',
    body: { ...chat, model: 'google/soga' },
    said: json(malformed),
    kind: 'chat',
    usd: 0.003,
  },
  {
    name: 'a prompt that Gemini read and blocked',
    route: 'chat/completions',
    body: { ...chat, model: 'google/soga' },
    said: json({
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 3_000 },
    }),
    kind: 'chat',
    usd: 0.003,
    status: 400,
    code: 'content_policy_violation',
  },
  {
    name: 'a picture that is none',
    route: 'images/generations',
    body: { ...picture, model: 'lab/picha' },
    said: json({ data: [{ url: 'https://pictures.example/1' }] }),
    kind: 'image',
    usd: 0.002,
  },
  {
    name: 'a model that talks instead of drawing',
    route: 'images/generations',
    body: { ...picture, model: 'lab/chora' },
    said: json({ choices: [choice({ content: 'maji' })], usage: { ...usage, cost: 0.003 } }),
    kind: 'image',
    usd: 0.003,
  },
  {
    name: 'speech that is too large',
    route: 'audio/speech',
    body: spoken,
    said: { type: 'audio/mpeg', body: Buffer.alloc(CAP + 1) },
    kind: 'speech',
    usd: 0.003,
    status: 413,
    code: 'payload_too_large',
  },
  {
    name: 'speech without a sound',
    route: 'audio/speech',
    body: spoken,
    said: { type: 'audio/mpeg', body: '' },
    kind: 'speech',
    usd: 0.003,
  },
  {
    name: 'speech in another format',
    route: 'audio/speech',
    body: spoken,
    said: { type: 'audio/mpeg', body: wav('Habari') },
    kind: 'speech',
    usd: 0.003,
  },
  {
    name: 'a transcription without a text',
    route: 'audio/transcriptions',
    body: { model: 'lab/sikia', input_audio: { data: sound, format: 'wav' } },
    said: json({ usage: { seconds: 30 } }),
    kind: 'transcription',
    usd: 0.003,
  },
  {
    name: 'silence in the voice flow',
    route: 'voice/responses',
    body: voice,
    said: json({ text: ' ', usage: { seconds: 30 } }),
    kind: 'voice_transcription',
    usd: 0.003,
    status: 400,
    code: 'no_speech',
  },
  {
    name: 'fewer vectors than texts',
    route: 'embeddings',
    body: { model: 'lab/vekta', input: ['a', 'b'] },
    said: json({ data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 300 } }),
    kind: 'embeddings',
    usd: 0.003,
  },
  {
    name: 'an analysis that is none',
    route: 'vision/analyze',
    body: {
      model: 'lab/soga',
      prompt: 'Eleza',
      image: { data: drawPng('x', 8, 8).toString('base64') },
    },
    said: json({ choices: [{}], usage }),
    kind: 'vision_analysis',
    usd: 0.003,
  },
]

const send = ({ route, body }: Pick<Case, 'route' | 'body'>, key: string, url = app.url) =>
  fetch(`${url}/v1/${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function codeOf(answer: Response): Promise<{ code: string; text: string }> {
  const text = await answer.text()
  const { error, error_code: code } = JSON.parse(text)
  return { code: error?.code ?? code, text }
}

type Row = { status: string; waived: bigint; cost: bigint; nusd: bigint | null }

const rowsOf = (accountId: string) =>
  app.db.query<Row>(
    `select status, waived_micro as waived, cost_micro as cost, upstream_cost_nusd as nusd
     from activity_records where account_id = $1`,
    [accountId],
  )

const unpaidOf = (accountId: string) =>
  app.db.query<{ kind: string; micro: bigint }>(
    `select kind, sum(worth_micro)::int8 as micro from unpaid_work where account_id = $1
     group by kind`,
    [accountId],
  )

async function balanceOf(accountId: string): Promise<bigint> {
  const [row] = await app.db.query<{ micro: bigint }>(
    'select balance_micro as micro from ledger_accounts where account_id = $1',
    [accountId],
  )
  return row!.micro
}

/** More than the allowance of 100 credits. */
const useUp = (accountId: string) =>
  app.db.query('update unpaid_work set worth_micro = 100000001 where account_id = $1', [accountId])

const noCircuit = () => assert.deepEqual(app.rooms.upstreams.problems(), [])

/** The model stops in the middle of a call, and calls that an end. */
const half = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"b' } }
const halfWhole = json({
  choices: [{ ...choice({ tool_calls: [half] }), finish_reason: 'tool_calls' }],
  usage,
})
const halfStreamed = sse(
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...half }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage },
)
/** What each dialect says at the end of such a stream, and what it must not have said. */
const HALF_CALLS: [route: string, body: object, told: RegExp, never: RegExp][] = [
  [
    'chat/completions',
    { ...chat, tools: [{ type: 'function', function: { name: 'f' } }] },
    /data: \{"error":\{"message":"The model called a tool/,
    /"finish_reason":"tool_calls"|\[DONE\]/,
  ],
  [
    'messages',
    { ...native, tools: [{ name: 'f', input_schema: { type: 'object' } }] },
    /event: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"The model called/,
    /message_delta|message_stop/,
  ],
  [
    'responses',
    { model: 'lab/soga', input: 'x', tools: [{ type: 'function', name: 'f', parameters: null }] },
    /event: response\.failed\n.*"message":"The model called a tool/,
    /response\.completed|function_call_arguments\.done/,
  ],
]
for (const [route, body, told, never] of HALF_CALLS) {
  test(`${route}: half a tool call is an error, uncharged and counted, whole and streamed`, async () => {
    const { key, accountId } = await app.customer('1000000')
    const before = await balanceOf(accountId)
    first.say(halfWhole)
    const whole = await send({ route, body }, key)
    assert.equal(whole.status, 502)
    assert.match((await codeOf(whole)).text, /called a tool with invalid arguments/)
    first.say(halfStreamed)
    const streamed = await send({ route, body: { ...body, stream: true } }, key)
    const text = await streamed.text()
    assert.match(text, told)
    assert.doesNotMatch(text, never)
    assert.equal(await balanceOf(accountId), before)
    const rows = await rowsOf(accountId)
    for (const row of rows) {
      assert.deepEqual([row.status, row.cost, row.waived], ['failed', 0n, 9_000_000n])
      assert.equal(row.nusd, 3_000_000n)
    }
    assert.deepEqual(await unpaidOf(accountId), [{ kind: 'refused chat', micro: 18_000_000n }])
    noCircuit()
  })
}

/** As many as would open a circuit. */
const CALLS = 6

for (const one of CASES) {
  const { name, kind, usd, status = 502, code = 'upstream_error' } = one
  test(`${name}: nothing is charged, all of it is counted, and nobody else is asked`, async () => {
    const { key, accountId } = await app.customer('1000000')
    const before = await balanceOf(accountId)
    first.say(one.said)
    second.say(one.said)
    const asked = [first.asked, second.asked] as const
    for (let i = 0; i < CALLS; i++) {
      const answer = await send(one, key)
      const told = await codeOf(answer)
      assert.deepEqual([answer.status, told.code], [status, code], told.text)
    }
    assert.deepEqual([first.asked - asked[0], second.asked - asked[1]], [CALLS, 0])
    assert.equal(await balanceOf(accountId), before)
    const rows = await rowsOf(accountId)
    const waived = rows.reduce((sum, row) => sum + row.waived, 0n)
    assert.deepEqual([...new Set(rows.map((row) => `${row.status} ${row.cost}`))], ['failed 0'])
    assert.equal(rows.length, CALLS)
    for (const { nusd } of rows) {
      assert.ok(nusd! > 0n)
      if (usd !== undefined) assert.equal(nusd, BigInt(Math.round(usd * 1e9)))
    }
    if (usd !== undefined) assert.equal(waived, BigInt(Math.round(usd * 3_000e6)) * BigInt(CALLS))
    assert.deepEqual(await unpaidOf(accountId), [{ kind: `refused ${kind}`, micro: waived }])
    noCircuit()

    await useUp(accountId)
    const known = first.asked
    const refused = await send(one, key)
    assert.equal(refused.status, 429)
    const seconds = Number(refused.headers.get('retry-after'))
    // Clients of this dialect take no longer wait.
    if (one.route === 'messages') assert.equal(seconds, 60)
    else assert.ok(seconds > 80_000 && seconds <= 86_400, String(seconds))
    await refused.text()
    assert.equal(first.asked, known)
    assert.equal((await rowsOf(accountId)).length, CALLS)

    const other = one.route === 'embeddings' ? CASES[0]! : CASES.at(-2)!
    first.say(other.said)
    const goesOn = await send(other, key)
    assert.equal(goesOn.status, 502, 'another kind goes on')
    await goesOn.text()
  })
}

const STREAMS: Pick<Case, 'name' | 'body' | 'said'>[] = [
  {
    name: "Gemini's empty tool call",
    body: { ...chat, model: 'google/soga' },
    said: sse(malformed),
  },
  {
    name: 'a whole answer',
    body: chat,
    said: json({ choices: [choice({ content: 'maji' })], usage }),
  },
  {
    name: 'counts and no answer',
    body: chat,
    said: sse({ choices: [], usage }),
  },
]

for (const { name, body, said } of STREAMS) {
  test(`a stream, ${name}: the same, and no stream is refused for it`, async () => {
    const { key, accountId } = await app.customer('1000000')
    const one = { route: 'chat/completions', body: { ...body, stream: true } }
    first.say(said)
    const asked = [first.asked, second.asked] as const
    const run = async () => {
      const answer = await send(one, key)
      assert.equal(answer.status, 502)
      assert.match(await answer.text(), /upstream_error/)
    }
    for (let i = 0; i < CALLS; i++) await run()
    assert.deepEqual([first.asked - asked[0], second.asked - asked[1]], [CALLS, 0])
    const rows = await rowsOf(accountId)
    for (const row of rows) {
      assert.deepEqual([row.status, row.cost], ['failed', 0n])
      assert.deepEqual([row.waived, row.nusd], [9_000_000n, 3_000_000n])
    }
    assert.deepEqual(await unpaidOf(accountId), [{ kind: 'refused chat', micro: 9_000_000n * 6n }])
    noCircuit()
    await useUp(accountId)
    await run()
    const whole = await send({ ...one, body }, key)
    assert.equal(whole.status, 429)
    await whole.text()
  })
}

test('a stream that we refuse in the middle is counted by what was seen, or reported', async () => {
  const { key, accountId } = await app.customer('1000000')
  for (let i = 0; i < CALLS; i++) {
    const reading = readStream(app.url, key)
    const stream = await scripted.next()
    stream.send(piece('maji '))
    const reader = await reading
    await reader.until('maji')
    stream.send({ ...reported(200), choices: ['no choice'] })
    assert.match(await reader.whole(), /cannot be used/)
  }
  const rows = await rowsOf(accountId)
  assert.deepEqual(
    new Set(rows.map(({ status, cost }) => `${status} ${cost}`)),
    new Set(['failed 0']),
  )
  const waived = rows.reduce((sum, row) => sum + row.waived, 0n)
  assert.ok(waived >= 6_000_000n * 6n, String(waived))
  assert.deepEqual(await unpaidOf(accountId), [{ kind: 'refused chat', micro: waived }])
  noCircuit()
})

const ZERO = { prompt_tokens: 0, completion_tokens: 0 }
const NOTHING_MADE: [name: string, said: Said][] = [
  ['an answer that cost nothing', json({ choices: [], usage: ZERO })],
  ['nothing', { body: '' }],
  ['a web page', { body: '<html>' }],
  ['an error inside a 200', json({ error: { code: 500 } })],
]

for (const [name, said] of NOTHING_MADE) {
  test(`${name} is not counted, and the next upstream is asked`, async () => {
    const { key, accountId } = await app.customer('1000000')
    first.say(said)
    second.say(json({ choices: [choice({ content: 'maji' })], usage }))
    const answer = await send({ route: 'chat/completions', body: chat }, key)
    assert.equal(answer.status, 200, await answer.text())
    assert.deepEqual(await unpaidOf(accountId), [])
    assert.equal(await balanceOf(accountId), 1_000_000_000_000n - 9_000_000n)
  })
}

test('a model that costs nothing is never refused', async () => {
  const { key, accountId } = await app.customer('1000000')
  const free = { route: 'chat/completions', body: { ...chat, model: 'lab/bure' } }
  first.say(json({ choices: [], usage }))
  await (await send(CASES[0]!, key)).text()
  await useUp(accountId)
  assert.equal((await send(CASES[0]!, key)).status, 429)
  for (let i = 0; i < 2; i++) assert.equal((await send(free, key)).status, 502)
  assert.deepEqual(await unpaidOf(accountId), [{ kind: 'refused chat', micro: 100_000_001n }])
})

test('a key is free again for the next try', async () => {
  const { key } = await app.customer('1000000')
  const ask = async () => {
    const answer = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: JSON.stringify(chat),
    })
    await answer.text()
    return answer.status
  }
  first.say(json({ choices: [], usage }))
  assert.equal(await ask(), 502)
  first.say(json({ choices: [choice({ content: 'maji' })], usage }))
  assert.equal(await ask(), 200)
})

test('every process knows whose answers another refused', async () => {
  // Without credits the answer is 402, and nothing is asked of an upstream.
  const { key, accountId } = await app.customer('0')
  const statusOf = async (one: Case) => {
    const answer = await send(one, key)
    await answer.text()
    return answer.status
  }
  assert.equal(await statusOf(CASES[0]!), 402)
  await app.db.query(
    `insert into unpaid_work (account_id, kind, slot, at, worth_micro)
     values ($1, 'refused chat', 0, now(), 100000000)`,
    [accountId],
  )
  await eventually('it is known here', async () => (await statusOf(CASES[0]!)) === 429)
  assert.equal(await statusOf(CASES.find(({ kind }) => kind === 'image')!), 402)
})

test('what ran of a voice flow is counted, whichever stage fails', async () => {
  const { key, accountId } = await app.customer('1000000')
  first.say(
    json({ text: 'Habari', choices: [choice({ content: ' ' })], usage: { seconds: 30, ...usage } }),
  )
  const answer = await send({ route: 'voice/responses', body: voice }, key)
  assert.equal((await codeOf(answer)).code, 'upstream_error')
  const rows = await rowsOf(accountId)
  const ends = rows.map(({ status, waived }) => `${status} ${waived}`)
  assert.deepEqual(new Set(ends), new Set(['completed 9000000', 'failed 9000000']))
  assert.deepEqual(await unpaidOf(accountId), [
    { kind: 'refused voice_transcription', micro: 18_000_000n },
  ])
  await useUp(accountId)
  const refused = await send({ route: 'voice/responses', body: voice }, key)
  assert.equal(refused.status, 429, await refused.text())
})
