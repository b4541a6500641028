import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import { wav } from '../../../simulator/models/sound.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { watch } from '../../support/money/paid.ts'
import { makePdf } from '../../support/samples/pdf.ts'

/* Whatever an upstream reports, each route's usage is there and adds up. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

const HEKIMA = SIMULATED_MODELS.find(({ id }) => id === 'sim/hekima')!
const NATIVE = ['anthropic/hekima', 'openai/hekima']

before(async () => {
  app = await startApp({
    simulator: { faults: true, models: NATIVE.map((id) => ({ ...HEKIMA, id })) },
  })
  asha = await app.customer('100000')
})
afterEach(() => assertAgreement(app.db))
after(() => app.close())

const content = 'Habari ya asubuhi?'
const chat = { model: 'sim/hekima', messages: [{ role: 'user', content }] }
const streamed = { ...chat, stream: true, stream_options: { include_usage: true } }
const message = { ...chat, max_tokens: 200 }
const response = { model: 'sim/hekima', input: content }
const sound = { input_audio: { data: wav(content).toString('base64'), format: 'wav' } }
const pdf = { data: makePdf(1).toString('base64') }

/** The route, its body, and the upstream's route. */
const WAYS: Record<string, [path: string, body: object, asked: string]> = {
  chat: ['/v1/chat/completions', chat, '/chat/completions'],
  'chat stream': ['/v1/chat/completions', streamed, '/chat/completions'],
  Messages: ['/v1/messages', message, '/chat/completions'],
  'Messages stream': ['/v1/messages', { ...message, stream: true }, '/chat/completions'],
  'Messages native': ['/v1/messages', { ...message, model: NATIVE[0] }, '/messages'],
  'Messages native stream': [
    '/v1/messages',
    { ...message, model: NATIVE[0], stream: true },
    '/messages',
  ],
  Responses: ['/v1/responses', response, '/chat/completions'],
  'Responses stream': ['/v1/responses', { ...response, stream: true }, '/chat/completions'],
  'Responses native': ['/v1/responses', { ...response, model: NATIVE[1] }, '/responses'],
  'Responses native stream': [
    '/v1/responses',
    { ...response, model: NATIVE[1], stream: true },
    '/responses',
  ],
  embeddings: ['/v1/embeddings', { model: 'sim/vekta', input: content }, '/embeddings'],
  transcription: ['/v1/audio/transcriptions', sound, '/audio/transcriptions'],
  analysis: [
    '/v1/documents/analyze',
    { model: 'sim/macho', prompt: content, document: pdf },
    '/chat/completions',
  ],
}

async function usageOf(path: string, body: object): Promise<Loose> {
  const answer = await fetch(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  const told = text.startsWith('{') ? [text] : text.match(/(?<=^data: )\{.*$/gm)!
  const usages = told.map((line) => {
    const json: Loose = JSON.parse(line)
    return json.usage ?? json.data?.usage ?? json.response?.usage
  })
  return usages.findLast((usage) => usage)
}

/** The counts by their names of any dialect; those of Messages leave the cached ones out. */
function read(usage: Loose) {
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0)
  const prompt = (usage.prompt_tokens ?? usage.input_tokens) + cached
  const said = usage.completion_tokens ?? usage.output_tokens ?? 0
  const ofPrompt = usage.prompt_tokens_details ?? usage.input_tokens_details ?? {}
  const ofAnswer = usage.completion_tokens_details ?? usage.output_tokens_details ?? {}
  return { prompt, said, total: usage.total_tokens ?? prompt + said, ofPrompt, ofAnswer }
}

function assertAddsUp(usage: Loose, why: string): void {
  const { prompt, said, total, ofPrompt, ofAnswer } = read(usage)
  assert.ok(Number.isSafeInteger(prompt) && prompt > 0 && said >= 0, why)
  assert.equal(total, prompt + said, why)
  for (const part of Object.values(ofPrompt)) assert.ok(Number(part) <= prompt, why)
  for (const part of Object.values(ofAnswer)) assert.ok(Number(part) <= said, why)
  assert.equal(usage.cost, undefined, 'no price of the upstream')
}

const HARMLESS = ['usage-mismatch', 'reasoning-excess', 'cost-negative', 'cost-string', 'cost-huge']
const HARMFUL = ['usage-missing', 'usage-negative', 'usage-string', 'usage-huge', 'usage-fraction']

for (const [name, [path, body, route]] of Object.entries(WAYS)) {
  test(`usage of ${name} is there and adds up`, async () => {
    const { prompt, said } = read(await usageOf(path, body))
    for (const fault of [...HARMLESS, ...HARMFUL]) {
      app.models.fail({ fault, route, times: 1 })
      const { result: usage, records } = await watch(app, asha.accountId).during(() =>
        usageOf(path, body),
      )
      const why = `${fault}: ${JSON.stringify(usage)}`
      const harmless = HARMLESS.includes(fault)
      if (name === 'transcription' && !harmless) {
        assert.equal(usage.total_tokens, undefined, why)
        assert.ok(usage.seconds > 0, why)
        continue
      }
      assertAddsUp(usage, why)
      // A bad cost or total takes nothing from the counts.
      if (harmless) assert.deepEqual([read(usage).prompt, read(usage).said], [prompt, said], why)
      assert.equal(records[0]!.estimated, !harmless, why)
    }
  })
}
