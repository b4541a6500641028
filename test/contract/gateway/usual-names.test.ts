import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { wav } from '../../../simulator/models/sound.ts'
import { client } from '../../support/accounts.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { noHolds } from '../../support/money/no-holds.ts'
import { watch } from '../../support/money/paid.ts'
import { makePdf } from '../../support/samples/pdf.ts'

/* What clients of other gateways ask for: credits, their key, one generation, costs, completions. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>
let juma: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp({ env: { TOPUP_CREDITS_PER_TZS: '0.8' } })
  asha = await app.customer('100000')
  juma = await app.customer('10')
  // What was really held, whatever becomes of the row afterwards.
  await app.db.script(`
    create table seen_holds (about jsonb, amount_micro int8);
    create function see_hold() returns trigger language plpgsql security definer as $$ begin
      insert into public.seen_holds values (new.about, new.amount_micro); return null; end $$;
    create trigger seen after insert on holds for each row execute function see_hold()`)
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const content = 'Habari ya asubuhi?'
const chat = { model: 'sim/hekima', messages: [{ role: 'user', content }] }
const ask = (line: string, body?: unknown, token = asha.key) => app.call(line, { token, body })

async function streamOf(path: string, body: object, token = asha.key) {
  const answer = await fetch(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  const data = text.match(/(?<=^data: ).*$/gm)!
  assert.equal(data.at(-1), '[DONE]', text)
  return {
    headers: answer.headers,
    chunks: data.slice(0, -1).map((one) => JSON.parse(one)),
  }
}

const asked = { usage: { include: true } }

test('usage.cost is the charge of the ledger, whole and streamed, and only where it is asked for', async () => {
  for (const path of ['/v1/chat/completions', '/v1/completions']) {
    const body = path === '/v1/completions' ? { model: 'sim/hekima', prompt: content } : chat
    const whole = await watch(app, asha.accountId).during(() =>
      ask(`POST ${path}`, { ...body, ...asked }),
    )
    assert.equal(whole.result.body.usage.cost, whole.spent)
    assert.equal(Number(whole.result.headers.get('x-credits-charged')), whole.spent)
    assert.ok(whole.spent > 0)
    assert.equal(whole.result.headers.get('x-ignored-parameters'), null)
    assert.equal((app.models.log.entries.at(-1)!.body as Loose).usage?.include, undefined)
    const streamed = await watch(app, asha.accountId).during(() =>
      streamOf(path, { ...body, ...asked }),
    )
    const last = streamed.result.chunks.at(-1)!
    assert.equal(last.usage.cost, streamed.spent)
    assert.deepEqual(last.choices, [])
    const silent = await streamOf(path, { ...body, stream_options: { include_usage: true } })
    assert.equal(silent.chunks.at(-1)!.usage.cost, undefined)
  }
  const wrong = await ask('POST /v1/chat/completions', { ...chat, usage: { include: 'yes' } })
  assert.equal(wrong.body.error.param, 'usage.include')
})

test('usage.cost is replayed with the answer that was charged', async () => {
  const again = () =>
    app.call('POST /v1/completions', {
      token: asha.key,
      body: { model: 'sim/hekima', prompt: content, ...asked },
      headers: { 'idempotency-key': 'told-once' },
    })
  const { spent, result } = await watch(app, asha.accountId).during(again)
  const replayed = await watch(app, asha.accountId).during(again)
  assert.equal(replayed.spent, 0)
  assert.equal(result.body.usage.cost, spent)
  assert.deepEqual(replayed.result.body, result.body)
})

test('credits: what was added less what was used is the balance', async () => {
  await ask('POST /v1/chat/completions', chat)
  const { balance_credits } = (await ask('GET /v1/billing/balance')).body.data
  const used = await app.db.query<{ sum: bigint }>(
    `select -sum(amount_micro)::int8 as sum from ledger_entries
     where account_id = $1 and type = 'usage'`,
    [asha.accountId],
  )
  for (const token of [asha.key, asha.token]) {
    const { total_credits, total_usage } = (await ask('GET /v1/credits', undefined, token)).body
      .data
    assert.equal(Math.round(total_usage * 1e6), Number(used[0]!.sum))
    assert.equal(Math.round((total_credits - total_usage) * 1e6), Math.round(balance_credits * 1e6))
  }
  const { body } = await ask('GET /v1/credits', undefined, juma.key)
  assert.equal(body.data.total_usage, 0)
})

test('key: about the key that asks, with what its calls cost; an access token has none', async () => {
  const { key } = (await ask('POST /v1/api-keys', { name: 'pili' }, asha.token)).body.data
  const before = (await ask('GET /v1/key', undefined, key)).body.data
  assert.equal(before.usage, 0)
  const { spent } = await watch(app, asha.accountId).during(() =>
    ask('POST /v1/chat/completions', chat, key),
  )
  const { data } = (await ask('GET /v1/key', undefined, key)).body
  assert.deepEqual(
    [data.usage, data.usage_daily, data.usage_weekly, data.usage_monthly],
    Array(4).fill(spent),
  )
  assert.equal(data.name, 'pili')
  assert.ok(key.startsWith(data.label.split('…')[0]) && key.endsWith(data.label.split('…')[1]))
  assert.deepEqual([data.limit, data.limit_remaining, data.expires_at], [null, null, null])
  assert.equal(data.workspace_slug, 'default')
  assert.equal(data.rate_limit.requests, 1_000_000)
  assert.equal(JSON.stringify(data).includes(key), false)
  const refused = await ask('GET /v1/key', undefined, asha.token)
  assert.deepEqual([refused.status, refused.body.error_code], [403, 'forbidden'])
})

const sound = { input_audio: { data: wav(content).toString('base64'), format: 'wav' } }

test('generation: by the id of an answer or of its request, of those who made the call only', async () => {
  const message = { ...chat, max_tokens: 100 }
  const other = (await ask('POST /v1/api-keys', { name: 'tatu' }, asha.token)).body.data.key
  for (const [path, body] of [
    ['/v1/chat/completions', chat],
    ['/v1/completions', { model: 'sim/hekima', prompt: content }],
    ['/v1/messages', message],
  ] as const) {
    const { result, spent } = await watch(app, asha.accountId).during(() =>
      ask(`POST ${path}`, body),
    )
    const { id } = result.body
    const requestId = result.headers.get('x-request-id')!
    for (const named of [id, requestId]) {
      for (const token of [asha.key, asha.token]) {
        const found = await ask(`GET /v1/generation?id=${named}`, undefined, token)
        assert.equal(found.status, 200, JSON.stringify(found.body))
        const { data } = found.body
        assert.deepEqual([data.id, data.request_id, data.model], [named, requestId, 'sim/hekima'])
        assert.deepEqual([data.total_cost, data.usage], [spent, spent])
        assert.ok(data.tokens_prompt > 0 && data.tokens_completion > 0)
        assert.deepEqual([data.provider_name, data.cancelled], [null, false])
      }
      for (const token of [juma.key, juma.token, other]) {
        assert.equal((await ask(`GET /v1/generation?id=${named}`, undefined, token)).status, 404)
      }
    }
  }
  const unknown = await ask(`GET /v1/generation?id=gen_${'x'.repeat(24)}`)
  assert.equal(unknown.status, 404)
  for (const bad of [
    '',
    '?id=',
    '?id=%00',
    `?id=${'x'.repeat(500)}`,
    "?id=req_';--",
    '?id=a&id=b',
  ]) {
    const answer = await ask(`GET /v1/generation${bad}`)
    assert.equal(answer.status, 400, bad)
    assert.match(answer.body.message, /id|NUL/)
  }
})

test('generation: the stages of the voice flow are added up', async () => {
  const spoken = { audio_data: sound.input_audio.data, audio_format: 'wav' }
  const { result, spent } = await watch(app, asha.accountId).during(() =>
    ask('POST /v1/voice/responses', spoken),
  )
  const id = result.body.speech_generation_id
  const { data } = (await ask(`GET /v1/generation?id=${id}`)).body
  assert.equal(data.total_cost, spent)
  assert.equal(data.api_type, 'tts')
})

test('completions: a text, whole and streamed, as the chat of the same words', async () => {
  const body = { model: 'sim/hekima', prompt: content }
  const said = (await ask('POST /v1/chat/completions', chat)).body.choices[0].message.content
  for (const prompt of [content, [content]]) {
    const { status, body: answer } = await ask('POST /v1/completions', { ...body, prompt })
    assert.equal(status, 200)
    assert.match(answer.id, /^cmpl-[0-9A-Za-z]{24}$/)
    assert.equal(answer.object, 'text_completion')
    const choice = { index: 0, text: said, logprobs: null, finish_reason: 'stop' }
    assert.deepEqual(answer.choices, [choice])
    assert.equal(
      answer.usage.total_tokens,
      answer.usage.prompt_tokens + answer.usage.completion_tokens,
    )
  }
  const echoed = await ask('POST /v1/completions', { ...body, echo: true })
  assert.equal(echoed.body.choices[0].text, content + said)
  const two = await ask('POST /v1/completions', { ...body, n: 2, best_of: 2 })
  assert.deepEqual(
    two.body.choices.map(({ index }: Loose) => index),
    [0, 1],
  )
  for (const echo of [false, true]) {
    const { chunks } = await streamOf('/v1/completions', { ...body, echo })
    assert.equal(
      chunks.map(({ choices }) => choices[0].text).join(''),
      (echo ? content : '') + said,
    )
    assert.equal(chunks.at(-1)!.choices[0].finish_reason, 'stop')
    assert.ok(
      chunks.every(({ id, object }) => id.startsWith('cmpl-') && object === 'text_completion'),
    )
  }
})

test('completions: what a chat cannot do is refused by its name, and what is for chats is left out', async () => {
  const body = { model: 'sim/hekima', prompt: content }
  const wrong: [object, string][] = [
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: null }, 'prompt'],
    [{ prompt: '' }, 'prompt'],
    [{ prompt: [] }, 'prompt'],
    [{ prompt: [1, 2] }, 'prompt'],
    [{ prompt: [[1, 2]] }, 'prompt'],
    [{ prompt: ['a', 'b'] }, 'prompt'],
    [{ prompt: { a: 1 } }, 'prompt'],
    [{ suffix: 'mwisho' }, 'suffix'],
    [{ best_of: 3, n: 2 }, 'best_of'],
    [{ logprobs: 9 }, 'logprobs'],
    [{ logprobs: 1, echo: true }, 'echo'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ n: 1.5 }, 'n'],
  ]
  for (const [more, param] of wrong) {
    const { status, body: answer } = await ask('POST /v1/completions', { ...body, ...more })
    assert.deepEqual([status, answer.error.param], [400, param], JSON.stringify(more))
  }
  const chats = { messages: chat.messages, tools: [{ type: 'function' }] }
  const left = await ask('POST /v1/completions', { ...body, ...chats })
  assert.equal(left.status, 200)
  assert.equal(left.headers.get('x-ignored-parameters'), 'messages, tools')
})

/** Every paid route, with a body, what is asked upstream, and how its call ends. */
const QUOTED: [path: string, body: object, asked: string][] = [
  ['/v1/chat/completions', chat, '/chat/completions'],
  ['/v1/chat/completions', { ...chat, max_tokens: 9, n: 2, stream: true }, '/chat/completions'],
  ['/v1/completions', { model: 'sim/hekima', prompt: content }, '/chat/completions'],
  ['/v1/messages', { ...chat, max_tokens: 77 }, '/chat/completions'],
  ['/v1/responses', { model: 'sim/hekima', input: content }, '/chat/completions'],
  ['/v1/embeddings', { model: 'sim/vekta', input: [content, content] }, '/embeddings'],
  ['/v1/images/generations', { model: 'sim/picha', prompt: 'Simba', n: 2 }, '/images'],
  ['/v1/audio/speech', { model: 'sim/sema', input: content, voice: 'asha' }, '/audio/speech'],
  ['/v1/audio/transcriptions', { model: 'sim/sikia', ...sound }, '/audio/transcriptions'],
  [
    '/v1/voice/responses',
    { audio_data: sound.input_audio.data, audio_format: 'wav' },
    '/audio/transcriptions',
  ],
  [
    '/v1/documents/analyze',
    { model: 'sim/macho', prompt: content, document: { data: makePdf(2).toString('base64') } },
    '/chat/completions',
  ],
]

test('quote: what the same call then holds, in credits and shillings, and nothing is done for it', async () => {
  const asked = app.models.log.entries.length
  const quote = (path: string, body: object) => ask('POST /v1/billing/quote', { path, body })
  const quotes = await watch(app, asha.accountId).during(() =>
    Promise.all(QUOTED.map(([path, body]) => quote(path, body))),
  )
  assert.deepEqual([quotes.spent, quotes.records], [0, []])
  assert.equal(app.models.log.entries.length, asked)
  for (const [i, [path, body, route]] of QUOTED.entries()) {
    const { status, body: told } = quotes.result[i]!
    assert.equal(status, 200, JSON.stringify(told))
    // The hold is committed before the answer comes, and is not settled in the same breath.
    app.models.fail({ fault: 'late-100', route, times: 1 })
    const answer = await fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await answer.arrayBuffer()
    assert.equal(answer.status, 200)
    const [hold] = await app.db.query<{ amount_micro: bigint }>(
      `select amount_micro from seen_holds where about->>'requestId' = $1`,
      [answer.headers.get('x-request-id')],
    )
    const { hold: quoted, likely, most } = told.data
    assert.equal(Math.round(quoted.credits * 1e6), Number(hold!.amount_micro), path)
    assert.equal(quoted.tzs, Math.ceil(Number((quoted.credits / 0.8).toFixed(6))), path)
    assert.ok(likely.credits > 0 && most.credits >= quoted.credits, path)
  }
})

test('quote: a shorter answer is likely to cost less, and never more than the most', async () => {
  const path = '/v1/chat/completions'
  const likely: number[] = []
  for (const max_tokens of [10, 100, 1_024, 8_000]) {
    const { body } = await ask('POST /v1/billing/quote', { path, body: { ...chat, max_tokens } })
    assert.ok(body.data.likely.credits <= body.data.most.credits)
    likely.push(body.data.likely.credits)
  }
  const [ten, hundred, usual, long] = likely as [number, number, number, number]
  assert.ok(ten < hundred && hundred < usual && usual === long, likely.join())
})

test('quote of a video is its price, and of a free model nothing', async () => {
  const film = { model: 'sim/video-fault-video-failed', prompt: 'Simba', duration: 4 }
  const quoted = await ask('POST /v1/billing/quote', { path: '/v1/videos', body: film })
  const job = await ask('POST /v1/videos', film)
  const [hold] = await app.db.query<{ amount_micro: bigint }>(
    `select amount_micro from seen_holds where about->>'requestId' = $1`,
    [job.headers.get('x-request-id')],
  )
  assert.equal(Math.round(quoted.body.data.hold.credits * 1e6), Number(hold!.amount_micro))
  const free = { ...chat, model: 'sim/hekima-mini:free' }
  const nothing = await ask('POST /v1/billing/quote', { path: '/v1/chat/completions', body: free })
  const none = { credits: 0, tzs: 0 }
  const { hold: held, likely, most } = nothing.body.data
  assert.deepEqual([held, likely, most], [none, none, none])
  await noHolds(app)
})

test('quote: refused as the call would be, with the field in `body`', async () => {
  const path = '/v1/chat/completions'
  const wrong: [object, number, RegExp][] = [
    [{}, 400, /^path is required/],
    [{ path: 1, body: {} }, 400, /^path must be a string/],
    [{ path: '/v1/models', body: {} }, 400, /^path must be one of .*\/v1\/completions/],
    [{ path }, 400, /^body is required/],
    [{ path, body: [] }, 400, /^body must be a JSON object/],
    [{ path, body: 'x' }, 400, /^body must be a JSON object/],
    [{ path, body: {} }, 400, /^body\.model is required/],
    [{ path, body: { ...chat, messages: [] } }, 400, /^body\.messages must have/],
    [{ path, body: { ...chat, messages: [{}] } }, 400, /^body\.messages\[0\]\.role must be/],
    [{ path, body: { ...chat, model: 'hakuna' } }, 404, /./],
    [{ path, body: { ...chat, model: 'sim/vekta' } }, 400, /./],
    [{ path: '/v1/videos', body: { model: 'sim/filamu' } }, 400, /^body\.prompt is required/],
    [{ path: '/v1/messages', body: { ...chat } }, 400, /^body\.max_tokens is required/],
  ]
  for (const [body, status, message] of wrong) {
    const answer = await ask('POST /v1/billing/quote', body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.match(answer.body.message, message)
  }
  const anybody = await client(app.url)('POST /v1/billing/quote', { body: { path, body: chat } })
  assert.equal(anybody.status, 401)
})
