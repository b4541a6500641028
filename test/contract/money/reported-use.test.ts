import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { drawPng } from '../../../simulator/models/picture.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import {
  chunk,
  LAST_CHUNK,
  response,
  sse,
  SSE_HEAD,
  wireServer,
} from '../../upstream/wire-server.ts'

/* What an upstream reports, wherever it stands, is charged: here it also writes the bill by itself. */

type App = Awaited<ReturnType<typeof startApp>>
type Usage = Record<string, unknown>
let app: App
let upstream: Awaited<ReturnType<typeof wireServer>>

const CREDITS_PER_USD = 3_000
const WRITER = 'anthropic/mwandishi'
const PAINTER = 'lab/mchoraji'
const STUDIO = 'lab/studio'
const PRICES = { prompt: '0.000003', completion: '0.000015' }

/** What the upstream answers next, and what it has billed by then, in dollars. */
let summary: Usage | undefined
let pictures = 0
let cost: ((usd: number) => unknown) | undefined
let billedUsd = 0

const bill = (input: number, output: number) => {
  const usd = input * 0.000003 + output * 0.000015
  billedUsd += usd
  return usd
}

/** The counts of the message are small; those of the summary before it stand elsewhere. */
function messageUsage(): Usage {
  const top = { input_tokens: 700, output_tokens: 50 }
  bill(700, 50)
  if (summary === undefined) return top
  bill(summary.input_tokens as number, summary.output_tokens as number)
  const iterations = [
    { type: 'compaction', ...summary },
    { type: 'message', ...top },
  ]
  return { ...top, iterations }
}

const message = (usage: Usage) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'mwandishi',
  content: [{ type: 'text', text: 'Nzuri' }],
  stop_reason: 'end_turn',
  usage,
})

function messageEvents(usage: Usage): string {
  const begun = { ...message({ input_tokens: 700, output_tokens: 1 }), content: [] }
  const block = { type: 'text', text: '' }
  const delta = { type: 'text_delta', text: 'Nzuri' }
  const end = { stop_reason: 'end_turn', stop_sequence: null }
  const events = [
    { type: 'message_start', message: begun },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage },
    { type: 'message_stop' },
  ]
  return sse(...events.map((event) => JSON.stringify(event)))
}

const url = `data:image/png;base64,${drawPng('x', 8, 8).toString('base64')}`

/** An essay, and a picture while there is one. */
function drawing() {
  const [input, output] = [20, 30_000]
  const usd = bill(input, output)
  const images = pictures-- > 0 ? [{ type: 'image_url', image_url: { url } }] : []
  const content = 'Hapo zamani za kale. '.repeat(10)
  return {
    id: 'gen-1',
    choices: [{ message: { role: 'assistant', content, images }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, cost: cost?.(usd) },
  }
}

/** It only draws, and is paid by the token. */
function drawn() {
  billedUsd += 20 * 0.000003 + 6_240 * 0.00004
  const b64_json = drawPng('x', 8, 8).toString('base64')
  return { data: [{ b64_json }], usage: { input_tokens: 20, output_tokens: 6_240 } }
}

before(async () => {
  upstream = await wireServer((socket, { path, body }) => {
    if (path.endsWith('/images')) return socket.write(response(JSON.stringify(drawn())))
    if (!path.endsWith('/messages')) return socket.write(response(JSON.stringify(drawing())))
    const usage = messageUsage()
    if (!body.includes('"stream":true')) {
      return socket.write(response(JSON.stringify(message(usage))))
    }
    socket.write(SSE_HEAD)
    socket.write(chunk(messageEvents(usage)))
    return socket.write(LAST_CHUNK)
  })
  const outputs = { output_modalities: ['text', 'image'] }
  const models = [
    { id: WRITER, pricing: PRICES, context_length: 1_000_000, max_output_tokens: 64_000 },
    { id: PAINTER, pricing: PRICES, context_length: 64_000, max_output_tokens: 32_000, ...outputs },
    {
      id: STUDIO,
      pricing: { ...PRICES, image_output: '0.00004' },
      output_modalities: ['image'],
    },
  ]
  app = await startApp({ upstream: { base_url: upstream.url, sync: false, models } })
})
after(async () => {
  await app.close()
  await upstream.close()
})
afterEach(() => assertAgreement(app.db))

/** What the work was billed, and what it was charged. */
async function reckon(act: (key: string) => Promise<void>): Promise<[number, number]> {
  const asha = await app.customer('100000')
  billedUsd = 0
  await act(asha.key)
  const [row] = await app.db.query<{ sum: string | null }>(
    `select sum(-amount_micro)::text from ledger_entries where account_id = $1 and type = 'usage'`,
    [asha.accountId],
  )
  return [billedUsd * CREDITS_PER_USD, Number(row!.sum ?? 0) / 1e6]
}

async function ask(key: string, path: string, body: object): Promise<string> {
  const answer = await fetch(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return text
}

for (const stream of [false, true]) {
  test(`a summary that is written inside a call is charged with it, stream ${stream}`, async () => {
    summary = { input_tokens: 300_000, output_tokens: 2_000 }
    const messages = [{ role: 'user', content: 'Habari' }]
    let said = ''
    const [billed, charged] = await reckon(async (key) => {
      said = await ask(key, '/v1/messages', { model: WRITER, max_tokens: 100, messages, stream })
    })
    assert.ok(billed > 2_700, String(billed))
    assert.ok(Math.abs(charged - billed) < 0.001, `${charged} for ${billed}`)
    // Clients read the same figures, and where they come from.
    assert.match(said, /"input_tokens":300700/)
    assert.match(said, /"type":"compaction"/)
    assert.equal(said.match(/"output_tokens":2050/g)?.length, 1)
  })
}

const draw =
  (n: number, model = PAINTER) =>
  async (key: string) => {
    const body = { model, prompt: 'Simba', n }
    const { data } = JSON.parse(await ask(key, '/v1/images/generations', body))
    assert.equal(data.length, 1)
  }

const COSTS: [what: string, typeof cost][] = [
  ['nothing', undefined],
  ['its true cost', (usd) => usd],
  ['a cost in a wrong unit', (usd) => usd * 100],
  ['a cost that is none', () => -1],
]
for (const [what, told] of COSTS) {
  test(`one picture and nine essays are charged as ten chats by an upstream that tells ${what}`, async () => {
    cost = told
    pictures = 1
    const [billed, charged] = await reckon(draw(10))
    assert.ok(billed > 13_000, String(billed))
    assert.ok(Math.abs(charged - billed) < 0.001, `${charged} for ${billed}`)
  })
}

test('a cost of up to ten times its tokens is believed, for pictures drawn in conversation', async () => {
  cost = (usd) => usd * 9
  pictures = 1
  const [billed, charged] = await reckon(draw(2))
  assert.ok(Math.abs(charged - billed * 9) < 0.001, `${charged} for ${billed}`)
})

test('pictures that are paid by the token are charged by the tokens that were counted', async () => {
  const [billed, charged] = await reckon(draw(1, STUDIO))
  assert.ok(Math.abs(charged - billed) < 0.001, `${charged} for ${billed}`)
})
