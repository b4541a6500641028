import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import { watch } from '../../support/money/paid.ts'

/* Tokens of pictures and sound are billed by their own price, with the counts of the upstream. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App

const talker = {
  ...SIMULATED_MODELS.find(({ id }) => id === 'sim/macho')!,
  id: 'sim/msemaji',
  outputs: ['text', 'audio'],
  pricing: {
    prompt: '0.000002',
    completion: '0.00001',
    audio: '0.00004',
    audio_output: '0.00008',
  },
}

before(async () => {
  app = await startApp({ simulator: { faults: true, models: [talker] } })
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const chat = (token: string, body: object) =>
  app.call('POST /v1/chat/completions', {
    token,
    body: { messages: [{ role: 'user', content: 'Habari' }], ...body },
  })
/** To its end, whole or streamed. */
const read = async (token: string, body: object) => {
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Habari' }], ...body }),
  })
  assert.equal(answer.status, 200)
  return answer.text()
}
const close = (credits: number, usd: number) =>
  assert.ok(Math.abs(credits - usd * 3_000) < 0.00001, `${credits} for ${usd} USD`)

const PICTURE = { model: 'sim/picha-mazungumzo', modalities: ['image', 'text'] }

for (const stream of [false, true]) {
  test(`a picture in a chat costs what the upstream takes for it, stream ${stream}`, async () => {
    const asha = await app.customer('1000')
    app.models.log.clear()
    const { spent } = await watch(app, asha.accountId).during(() =>
      read(asha.key, { ...PICTURE, stream }),
    )
    const [sent] = app.models.log.find({ route: '/chat/completions' })
    assert.ok(spent > 116, String(spent))
    close(spent, sent!.cost!)
  })
}

test('402: a picture must be affordable, unless none is wanted', async () => {
  // One is held at 4,175 tokens: 375.75 credits.
  const poor = await app.customer('370')
  app.models.log.clear()
  const drawn = await Promise.all([
    chat(poor.key, PICTURE),
    chat(poor.key, { model: PICTURE.model }),
    chat(poor.key, { ...PICTURE, max_tokens: 1, stream: true }),
  ])
  assert.deepEqual(
    drawn.map(({ status }) => status),
    [402, 402, 402],
  )
  assert.equal(app.models.log.count(), 0)
  const text = await chat(poor.key, { model: PICTURE.model, modalities: ['text'] })
  assert.equal(text.status, 200)
})

test('sound in a chat costs what the upstream takes for it', async () => {
  const asha = await app.customer('1000')
  app.models.log.clear()
  const input = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }
  const { spent } = await watch(app, asha.accountId).during(() =>
    chat(asha.key, {
      model: 'sim/msemaji',
      messages: [{ role: 'user', content: [input, { type: 'text', text: 'Habari' }] }],
      modalities: ['text', 'audio'],
      audio: { voice: 'asha', format: 'pcm16' },
    }),
  )
  const [sent] = app.models.log.find({ route: '/chat/completions' })
  // 160 tokens of sound at 0.00004 alone are 19.2 credits; as text the call would be under 3.
  assert.ok(spent > 19.2, String(spent))
  close(spent, sent!.cost!)
})

test('the price list shows every class that has a price', async () => {
  const asha = await app.customer('0')
  const { body } = await app.call('GET /v1/models/sim/msemaji', { token: asha.key })
  const { pricing, pricing_credits: credits } = body.data
  assert.deepEqual([pricing.audio, pricing.audio_output], ['0.00004', '0.00008'])
  assert.deepEqual([credits.audio, credits.audio_output], [0.12, 0.24])
})
