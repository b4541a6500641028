import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wav } from '../../../simulator/models/sound.ts'
import { drawPng } from '../../../simulator/models/picture.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { assertAgreement } from '../../support/money/agreement.ts'

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 1_500, idle_ms: 1_500 } } })
  asha = await app.customer('1000')
})
after(async () => {
  await assertAgreement(app.db)
  await app.close()
})

const SOUND = wav('Habari ya asubuhi').toString('base64')
const SAID = [{ role: 'user', content: 'Habari?' }]

/** Each route with a model that has the fault. */
const ROUTES: Record<string, (fault: string) => object> = {
  '/v1/chat/completions': (fault) => ({ model: `sim/fault-${fault}`, messages: SAID }),
  '/v1/messages': (fault) => ({ model: `sim/fault-${fault}`, messages: SAID, max_tokens: 50 }),
  '/v1/responses': (fault) => ({ model: `sim/fault-${fault}`, input: 'Habari?' }),
  '/v1/embeddings': (fault) => ({ model: `sim/embeddings-fault-${fault}`, input: 'Habari' }),
  '/v1/audio/speech': (fault) => ({ model: `sim/speech-fault-${fault}`, input: 'Habari' }),
  '/v1/audio/transcriptions': (fault) => ({
    model: `sim/transcription-fault-${fault}`,
    input_audio: { data: SOUND, format: 'wav' },
  }),
  '/v1/voice/responses': (fault) => ({
    text_model: `sim/fault-${fault}`,
    audio_data: SOUND,
    audio_format: 'wav',
    include_audio: false,
  }),
  '/v1/images/generations': (fault) => ({ model: `sim/image-fault-${fault}`, prompt: 'ndege' }),
  '/v1/vision/analyze': (fault) => ({
    model: `sim/fault-${fault}`,
    prompt: 'Eleza',
    image: { data: drawPng('x', 8, 8).toString('base64') },
  }),
}

const CODES: [fault: string, code: string][] = [
  ['status-400', 'upstream_rejected'],
  ['status-401', 'upstream_error'],
  ['status-500', 'upstream_error'],
  ['status-503', 'upstream_unavailable'],
  ['429-7', 'rate_limit_exceeded'],
  ['content-policy', 'content_policy_violation'],
]

async function recordOf(requestId: string): Promise<Loose> {
  const { body } = await app.call('GET /v1/activity?limit=200', { token: asha.token })
  const rows = await app.db.query('select id from activity_records where request_id = $1', [
    requestId,
  ])
  const ids = rows.map(({ id }) => id)
  return body.data.find((one: Loose) => ids.includes(one.id) && one.status !== 'completed')
}

for (const [path, bodyFor] of Object.entries(ROUTES)) {
  test(`${path}: the record bears the code that the caller got`, async () => {
    for (const [fault, code] of CODES) {
      const answer = await app.call(`POST ${path}`, { token: asha.key, body: bodyFor(fault) })
      if (answer.status === 400 && answer.body.error?.code === 'model_capability') continue
      assert.equal(answer.body.error.code, code, `${fault}: ${JSON.stringify(answer.body)}`)
      const record = await recordOf(answer.headers.get('x-request-id')!)
      assert.deepEqual([record.status, record.error_code], ['failed', code], fault)
    }
  })
}

test('an error inside a stream too', async () => {
  for (const fault of ['stream-error', 'finish-error', 'reset']) {
    const answer = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `sim/fault-${fault}`, messages: SAID, stream: true }),
    })
    const last = (await answer.text()).trim().split('\n').at(-1)!
    const { error } = JSON.parse(last.replace(/^data: /, ''))
    const record = await recordOf(answer.headers.get('x-request-id')!)
    assert.equal(record.error_code, error.code, fault)
  }
})
