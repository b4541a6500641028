import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import { testClock } from '../../support/accounts.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'

/* A model past its `expiration_date` is unlisted and 404 at that hour, without another sync. */

const HOUR_MS = 3_600_000
const clock = testClock()
const at = new Date(Date.now() + HOUR_MS).toISOString()
/** One of each kind that ends in an hour. */
const ENDING = new Map(
  ['sim/hekima', 'sim/vekta', 'sim/picha', 'sim/filamu', 'sim/sikia', 'sim/sema'].map((id) => [
    id,
    { ...SIMULATED_MODELS.find((model) => model.id === id)!, expires: at },
  ]),
)

let app: Awaited<ReturnType<typeof startApp>>
let key: string
before(async () => {
  const models = SIMULATED_MODELS.map((model) => ENDING.get(model.id) ?? model)
  app = await startApp({ clock, simulator: { models } })
  key = (await app.customer('100000')).key
})
after(() => app.close())

const CALLS: [string, Loose][] = [
  ['POST /v1/chat/completions', { model: 'sim/hekima', messages: messages() }],
  ['POST /v1/messages', { model: 'sim/hekima', max_tokens: 5, messages: messages() }],
  ['POST /v1/messages/count_tokens', { model: 'sim/hekima', messages: messages() }],
  ['POST /v1/responses', { model: 'sim/hekima', input: 'Habari' }],
  ['POST /v1/embeddings', { model: 'sim/vekta', input: 'Habari' }],
  ['POST /v1/images/generations', { model: 'sim/picha', prompt: 'Nyumba' }],
  ['POST /v1/videos', { model: 'sim/filamu', prompt: 'Nyumba', duration: 4 }],
]

function messages() {
  return [{ role: 'user', content: 'Habari' }]
}

const listed = async (path: string) =>
  (await app.call(`GET ${path}`, { token: key })).body.data.map((model: Loose) => model.id)

test('before its hour a model is served; from then on it is gone everywhere', async () => {
  for (const [line, body] of CALLS) {
    const answer = await app.call(line, { token: key, body })
    assert.ok(answer.status < 300, `${line} ${JSON.stringify(answer.body)}`)
  }
  const [before, open] = [await listed('/v1/models'), await listed('/v1/catalog')]
  for (const id of ENDING.keys()) assert.ok(before.includes(id) && open.includes(id), id)
  clock.push(HOUR_MS + 1_000)
  for (const [line, body] of CALLS) {
    const answer = await app.call(line, { token: key, body })
    assert.equal(answer.status, 404, `${line} ${JSON.stringify(answer.body)}`)
  }
  const [later, openLater] = [await listed('/v1/models'), await listed('/v1/catalog')]
  for (const id of ENDING.keys()) {
    assert.ok(!later.includes(id) && !openLater.includes(id), id)
    assert.equal((await app.call(`GET /v1/models/${id}`, { token: key })).status, 404)
    assert.equal((await app.call(`GET /v1/models/sim/${id}`, { token: key })).status, 404)
  }
  assert.equal(later.length, before.length - ENDING.size)
  const speech = { model: 'sim/sema', input: 'Habari' }
  assert.equal((await app.call('POST /v1/audio/speech', { token: key, body: speech })).status, 404)
})
