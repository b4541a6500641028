import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wav } from '../../../simulator/models/sound.ts'
import { startApp } from '../../support/app.ts'
import { assertAgreement } from '../../support/money/agreement.ts'

type App = Awaited<ReturnType<typeof startApp>>
let app: App

before(async () => {
  app = await startApp()
})
after(async () => {
  await assertAgreement(app.db)
  await app.close()
})

const SAID = [{ role: 'user', content: 'x'.repeat(3_000) }]
const ROUTES: Record<string, object> = {
  '/v1/chat/completions': { model: 'sim/hekima', messages: SAID },
  '/v1/messages': { model: 'sim/hekima', messages: SAID, max_tokens: 50 },
  '/v1/responses': { model: 'sim/hekima', input: SAID },
  '/v1/embeddings': { model: 'sim/vekta', input: 'x'.repeat(30_000) },
  '/v1/images/generations': { model: 'sim/picha', prompt: 'ndege' },
  '/v1/videos': { model: 'sim/filamu', prompt: 'ndege' },
  '/v1/audio/speech': { model: 'sim/sema', input: 'Habari '.repeat(400) },
  '/v1/voice/responses': { audio_data: wav('Habari').toString('base64'), audio_format: 'wav' },
}

for (const [path, body] of Object.entries(ROUTES)) {
  test(`402 ${path}: what is there and what is needed; with so much it is begun`, async () => {
    const poor = await app.customer('0.001')
    const { status, body: told } = await app.call(`POST ${path}`, { token: poor.key, body })
    assert.equal(status, 402, JSON.stringify(told))
    const { available, needed, message } = told.error
    assert.equal(available, 0.001)
    assert.ok(needed > available, String(needed))
    assert.equal(Number(needed.toFixed(6)), needed)
    assert.ok(message.includes('0.001 are available'), message)
    if (told.error_code) assert.deepEqual([told.available, told.needed], [available, needed])
    // A job would hold credits beyond the end of this file.
    if (path === '/v1/videos') return
    const enough = await app.customer(String(needed))
    const begun = await fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${enough.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(begun.status, 200, (await begun.text()).slice(0, 300))
  })
}
