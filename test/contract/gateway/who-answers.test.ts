import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { watch } from '../../support/money/paid.ts'
import { meteredModels } from '../../support/models/metered-models.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Models = Awaited<ReturnType<typeof meteredModels>>
let app: App
let moja: Models
let mbili: Models
let asha: Awaited<ReturnType<App['customer']>>

const PRICES = {
  mto: { prompt: 0.000002, completion: 0.00001, cached: 0.0000002 },
  bahari: { prompt: 0.00001, completion: 0.00005 },
  kijito: { prompt: 0, completion: 0 },
}

before(async () => {
  ;[moja, mbili] = await Promise.all([meteredModels(PRICES), meteredModels(PRICES)])
  app = await startApp({ upstream: [moja.entry('moja'), mbili.entry('mbili')] })
  asha = await app.customer('1000')
})
after(async () => {
  await app.close()
  await Promise.all([moja.close(), mbili.close()])
})
afterEach(() => assertAgreement(app.db))

const chat = (body: object, headers: Record<string, string> = {}, token = asha.key) =>
  app.call('POST /v1/chat/completions', { token, body, headers })
const user = (content: string) => ({ role: 'user', content })

const LONG = 'Tafadhali soma hii tena na tena. '.repeat(20)

test('turns of a session go to one upstream, and what it has read is a tenth of the price', async () => {
  for (const session of ['asubuhi', 'mchana', 'jioni']) {
    const began = [moja.asked.length, mbili.asked.length]
    const messages: object[] = [user(`${session}: ${LONG}`)]
    const cached: number[] = []
    for (let turn = 0; turn < 5; turn += 1) {
      const { body } = await chat({ model: 'lab/mto', messages, session_id: session })
      cached.push(body.usage.prompt_tokens_details.cached_tokens)
      messages.push(body.choices[0].message, user(`Na zamu ya ${turn}?`))
    }
    const turns = [moja.asked.length - began[0]!, mbili.asked.length - began[1]!]
    assert.deepEqual(
      turns.toSorted((a, b) => a - b),
      [0, 5],
    )
    assert.equal(cached[0], 0)
    for (let turn = 1; turn < 5; turn += 1) assert.ok(cached[turn]! > cached[turn - 1]!)
  }
})

test('every dialect names a session its own way, and upstreams get one hash of it', async () => {
  const session = '0aa7e9c4-31a5-4b1c-b0e6-7d2f6a1c9e55'
  const plain = { model: 'lab/mto', messages: [user('Habari?')] }
  const message = { ...plain, max_tokens: 20 }
  const response = { model: 'lab/mto', input: 'Habari?' }
  const older = `user_ab12_account_cd34_session_${session}`
  const newer = JSON.stringify({ device_id: 'ab12', account_uuid: '', session_id: session })
  const ways: [string, Loose, Record<string, string>?][] = [
    ['chat/completions', { ...plain, session_id: session }],
    ['chat/completions', { ...plain, prompt_cache_key: session }],
    ['chat/completions', { ...plain, user: 'x' }, { 'x-session-id': session }],
    ['messages', { ...message, metadata: { user_id: older } }],
    ['messages', { ...message, metadata: { user_id: newer } }],
    ['messages', { ...message, metadata: { user_id: 'juma' } }, { 'x-session-id': session }],
    ['responses', { ...response, prompt_cache_key: session }],
    ['responses', { ...response, store: false }, { session_id: session }],
  ]
  const asked = () => [...moja.asked, ...mbili.asked].length
  const names = new Set<string>()
  for (const [path, body, headers = {}] of ways) {
    const [before, from] = [asked(), [moja.asked.length, mbili.asked.length]]
    const answer = await app.call(`POST /v1/${path}`, { token: asha.key, body, headers })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(asked(), before + 1)
    const [sent] = [...moja.asked.slice(from[0]), ...mbili.asked.slice(from[1])]
    names.add(sent!.body.session_id)
  }
  assert.equal(names.size, 1)
  assert.match([...names][0]!, /^[0-9a-f]{32}$/)
  const juma = await app.customer('100')
  await chat({ ...plain, session_id: session }, {}, juma.key)
  const theirs = [...moja.asked, ...mbili.asked].filter(({ body }) => names.has(body.session_id))
  assert.equal(theirs.length, ways.length, 'another account has another name')
})

test('a stored response and what continues it are one session; the user is none', async () => {
  const sessions: unknown[] = []
  const ask = async (path: string, body: Loose) => {
    const from = [moja.asked.length, mbili.asked.length]
    const answer = await app.call(`POST /v1/${path}`, { token: asha.key, body })
    const [sent] = [...moja.asked.slice(from[0]), ...mbili.asked.slice(from[1])]
    sessions.push(sent!.body.session_id)
    return answer.body
  }
  const first = await ask('responses', { model: 'lab/mto', input: 'Habari?' })
  const more = { model: 'lab/mto', input: 'Na leo?' }
  const second = await ask('responses', { ...more, previous_response_id: first.id })
  await ask('responses', { ...more, previous_response_id: second.id })
  assert.equal(new Set(sessions).size, 1)
  assert.match(String(sessions[0]), /^[0-9a-f]{32}$/)
  await ask('responses', { ...more, store: false })
  await ask('messages', {
    model: 'lab/mto',
    max_tokens: 9,
    messages: [user('x')],
    metadata: { user_id: 'juma' },
  })
  await ask('chat/completions', { model: 'lab/mto', messages: [user('x')], session_id: null })
  assert.deepEqual(sessions.slice(3), [undefined, undefined, null])
})

test('while its upstream is away, a session goes on at the other', async () => {
  const turn = () => chat({ model: 'lab/mto', messages: [user('Habari?')], session_id: 'safari' })
  const owner = async () => {
    const before = moja.asked.length
    assert.equal((await turn()).status, 200)
    return moja.asked.length > before ? moja : mbili
  }
  const home = await owner()
  home.fail('mto', 503)
  assert.equal((await turn()).status, 200)
  home.fail('mto')
  const other = home === moja ? mbili : moja
  assert.equal(other.asked.at(-1)!.body.session_id, home.asked.at(-1)!.body.session_id)
})

test('400: a name of a session that is none', async () => {
  for (const field of ['session_id', 'prompt_cache_key']) {
    for (const odd of [7, {}, [], 'x'.repeat(1_025)]) {
      const answer = await chat({ model: 'lab/mto', messages: [user('x')], [field]: odd })
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.param, field)
    }
  }
})

/* The caller's own fallbacks. */

const path = (dialect: string) => `POST /v1/${dialect}`
const asked = () => [...moja.asked, ...mbili.asked].length
const meter = () => moja.meter() + mbili.meter()
const down = (model: string, status?: number, error?: object) => {
  for (const upstream of [moja, mbili]) upstream.fail(model, status, error)
}
/** What the answer took by the upstream's own meter is what was charged, and by whom it was made. */
async function paid(work: () => Promise<Loose>) {
  const before = meter()
  const { result, records, spent } = await watch(app, asha.accountId).during(work)
  const done = records.filter(({ status }) => status === 'completed')
  assert.ok(Math.abs(spent - (meter() - before) * 3_000) < 0.000_002, String(spent))
  return { result, models: done.map(({ model }) => model), failed: records.length - done.length }
}

const DIALECTS: [string, (models: string[]) => object][] = [
  [
    'chat/completions',
    ([model, ...models]) => ({ model, models, messages: [user('Habari?')], max_tokens: 20 }),
  ],
  ['responses', ([model, ...models]) => ({ model, models, input: 'Habari?' })],
  [
    'messages',
    ([model, ...others]) => ({
      model,
      fallbacks: others.map((one) => ({ model: one })),
      max_tokens: 20,
      messages: [user('Habari?')],
    }),
  ],
]

for (const [dialect, bodyOf] of DIALECTS) {
  const send = (models: string[], more: object = {}) =>
    app.call(path(dialect), { token: asha.key, body: { ...bodyOf(models), ...more } })

  test(`${dialect}: where a model does not answer, the next one is asked, charged and named`, async (t) => {
    t.after(() => down('mto'))
    const well = await paid(() => send(['lab/mto', 'lab/bahari']))
    assert.deepEqual([well.result.body.model, well.models], ['lab/mto', ['lab/mto']])
    for (const [status, error] of REFUSALS) {
      down('mto', status, error)
      const { result, models, failed } = await paid(() => send(['lab/mto', 'lab/bahari']))
      assert.equal(result.status, 200, JSON.stringify(result.body))
      assert.equal(result.body.model, 'lab/bahari')
      assert.deepEqual([models, failed], [['lab/bahari'], 1])
      assert.equal(result.headers.get('x-ignored-parameters'), null)
    }
  })

  test(`${dialect}: a stream falls over before its first byte, and names who answers`, async (t) => {
    t.after(() => down('mto'))
    down('mto', 503)
    const { result, models } = await paid(async () => {
      const answer = await fetch(`${app.url}/v1/${dialect}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...bodyOf(['lab/mto', 'lab/bahari']), stream: true }),
      })
      return { text: await answer.text() }
    })
    assert.deepEqual(models, ['lab/bahari'])
    assert.match(result.text, /"model":"lab\/bahari"/)
    assert.doesNotMatch(result.text, /lab\/mto/)
  })

  test(`${dialect}: what is missing or cannot do it is skipped, unless none is left`, async () => {
    const before = asked()
    const { result } = await paid(() => send(['lab/none', 'lab/mto']))
    assert.equal(result.body.model, 'lab/mto')
    assert.equal(asked(), before + 1)
    const none = await send(['lab/none', 'lab/neither'])
    assert.deepEqual([none.status, none.body.error.type], [404, expected404(dialect)])
    assert.equal(asked(), before + 1)
  })

  test(`400: ${dialect}: odd lists of models`, async () => {
    const field = dialect === 'messages' ? 'fallbacks' : 'models'
    const others = ['b', 'c', 'd', 'e'].map((id) => (field === 'models' ? id : { model: id }))
    for (const odd of ['x', 7, {}, [7], [null], [''], [[]], ['x'.repeat(257)], others]) {
      const answer = await send(['lab/mto'], { [field]: odd })
      assert.equal(answer.status, 400, JSON.stringify(odd))
      assert.match(answer.body.error.message, new RegExp(`^${field}`))
    }
    const without = await send(['lab/mto'], { model: undefined, [field]: [] })
    assert.match(without.body.error.message, /^model/)
    const { result } = await paid(() => send(['lab/mto'], { [field]: null }))
    assert.equal(result.status, 200)
  })
}

/** Ours, and a refusal that may be of this model alone. */
const REFUSALS: [number, object?][] = [
  [503],
  [429],
  [404],
  [401],
  [400, { message: 'max_tokens is too large', code: 400 }],
  [
    400,
    { message: 'This model has a context length of 10 tokens', code: 'context_length_exceeded' },
  ],
  [403, { message: 'moderated', code: 403, metadata: { reasons: ['violence'] } }],
]

const expected404 = (dialect: string) => (dialect === 'messages' ? 'not_found_error' : 'not_found')
