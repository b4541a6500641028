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

const MTO = { prompt: 0.000002, completion: 0.00001, cached: 0.0000002 }

/** What models say that do not answer: each has circuits of its own. */
const SICK: Record<string, [status: number, error?: object]> = {
  busy: [503],
  broken: [500],
  limited: [429],
  unknown: [404],
  locked: [401],
  picky: [400, { message: 'max_tokens is too large', code: 400 }],
  short: [400, { message: 'Too long.', code: 'context_length_exceeded' }],
  proper: [403, { message: 'moderated', code: 403, metadata: { reasons: ['violence'] } }],
}

const PRICES = {
  ...Object.fromEntries([...Object.keys(SICK), 'empty', 'used'].map((model) => [model, MTO])),
  mto: MTO,
  bahari: { prompt: 0.00001, completion: 0.00005 },
  kijito: { prompt: 0, completion: 0 },
  vito: { prompt: 0.0000003, completion: 0.000001 },
}

const KNOWS_MORE = { supported_parameters: ['temperature', 'logprobs'] }
/** At a place that cannot be told to keep nothing. */
const OPEN = {
  id: 'lab/wazi',
  upstream_id: 'vito',
  pricing: { prompt: '0.0000003', completion: '0.000001' },
}

const USED = { prompt_tokens: 9, completion_tokens: 9 }

before(async () => {
  ;[moja, mbili] = await Promise.all([meteredModels(PRICES), meteredModels(PRICES)])
  for (const upstream of [moja, mbili]) {
    for (const [model, [status, error]] of Object.entries(SICK)) {
      upstream.fail(model, status, error && { error })
    }
    upstream.fail('empty', 200, { id: 'gen-1', choices: [], usage: USED })
    upstream.fail('used', 200, { error: { message: 'No.', code: 400 }, usage: USED })
  }
  app = await startApp({
    upstream: [
      moja.entry('moja', {}, { vito: KNOWS_MORE }),
      mbili.entry('mbili', {}, { vito: KNOWS_MORE }),
      { ...moja.entry('tatu', { type: 'openai' }), models: [OPEN] },
    ],
  })
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

  test(`${dialect}: where a model does not answer, the next one is asked, charged and named`, async () => {
    const well = await paid(() => send(['lab/mto', 'lab/bahari']))
    assert.deepEqual([well.result.body.model, well.models], ['lab/mto', ['lab/mto']])
    for (const sick of Object.keys(SICK)) {
      const before = asked()
      const { result, models, failed } = await paid(() => send([`lab/${sick}`, 'lab/bahari']))
      assert.ok(asked() >= before + 2, `${sick} was asked`)
      assert.equal(result.status, 200, JSON.stringify(result.body))
      assert.equal(result.body.model, 'lab/bahari')
      assert.deepEqual([models, failed], [['lab/bahari'], 1])
      assert.equal(result.headers.get('x-ignored-parameters'), null)
    }
  })

  test(`${dialect}: a stream falls over before its first byte, and names who answers`, async () => {
    const { result, models } = await paid(async () => {
      const answer = await fetch(`${app.url}/v1/${dialect}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...bodyOf(['lab/picky', 'lab/bahari']), stream: true }),
      })
      return { text: await answer.text() }
    })
    assert.deepEqual(models, ['lab/bahari'])
    assert.match(result.text, /"model":"lab\/bahari"/)
    assert.doesNotMatch(result.text, /lab\/picky/)
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

const expected404 = (dialect: string) => (dialect === 'messages' ? 'not_found_error' : 'not_found')

const habari = (model: string, more: object = {}) => ({
  model,
  messages: [user('Habari?')],
  max_tokens: 20,
  ...more,
})

test('what is held is enough for the dearest; a free model needs nothing', async () => {
  // The dearest needs more than 0.03 credits for a token of its prompt.
  const poor = await app.customer('0.2')
  const before = asked()
  const both = await chat(habari('lab/vito', { models: ['lab/bahari'] }), {}, poor.key)
  assert.deepEqual([both.status, asked()], [402, before])
  assert.equal((await chat(habari('lab/vito'), {}, poor.key)).status, 200)
  const empty = await app.customer('0')
  const free = await chat(habari('lab/kijito', { models: ['lab/bahari'] }), {}, empty.key)
  assert.deepEqual([free.status, free.body.model], [200, 'lab/kijito'])
})

test('all models fail: the last failure is told, and nothing is charged', async () => {
  const { result, models, failed } = await paid(() =>
    chat(habari('lab/busy', { models: ['lab/picky'] })),
  )
  assert.deepEqual([result.status, result.body.error.code], [502, 'upstream_rejected'])
  assert.deepEqual([models, failed], [[], 2])
})

test('an answer that was made is asked of nobody else, whether or not it can be used', async () => {
  for (const model of ['lab/empty', 'lab/used']) {
    const before = asked()
    const { result, failed } = await paid(() => chat(habari(model, { models: ['lab/vito'] })))
    assert.deepEqual([result.status, failed], [502, 1])
    assert.equal(asked(), before + 1)
  }
})

test('with a key the answer of the model that gave it is stored, and charged once', async () => {
  const key = { 'idempotency-key': 'safari-ya-pili' }
  const { result, models } = await paid(async () => {
    const first = await chat(habari('lab/busy', { models: ['lab/vito'] }), key)
    const again = await chat(habari('lab/mto'), key)
    return { first, again }
  })
  assert.equal(result.first.body.model, 'lab/vito')
  assert.deepEqual(result.again.body, result.first.body)
  assert.deepEqual(models, ['lab/vito'])
})

test('a stored response of another model is continued as its own', async () => {
  const body = { model: 'lab/busy', models: ['lab/vito'], input: 'Habari?' }
  const { body: first } = await app.call('POST /v1/responses', { token: asha.key, body })
  const read = await app.call(`GET /v1/responses/${first.id}`, { token: asha.key })
  assert.equal(read.body.model, 'lab/vito')
  const more = { ...body, previous_response_id: first.id }
  const { body: second } = await app.call('POST /v1/responses', { token: asha.key, body: more })
  assert.deepEqual([second.model, second.previous_response_id], ['lab/vito', first.id])
})

test('a fallback of Messages has its own limit, and other members are named', async () => {
  const fallbacks = [{ model: 'lab/vito', max_tokens: 7, speed: 'fast', output_config: null }]
  const { result } = await paid(() =>
    app.call('POST /v1/messages', {
      token: asha.key,
      body: habari('lab/busy', { fallbacks, require_parameters: true, temperature: 0.5 }),
    }),
  )
  assert.equal(result.body.model, 'lab/vito')
  assert.equal(result.headers.get('x-ignored-parameters'), 'fallbacks.speed')
  const latest = [moja, mbili].map(({ asked: all }) => all.at(-1)!)
  assert.ok(latest.some(({ model, body }) => model === 'vito' && body.max_tokens === 7))
})

/* Wishes for who answers. */

test('require_parameters: a model that lacks one is skipped; alone it is 400 with its name', async () => {
  for (const wish of [{ require_parameters: true }, { provider: { require_parameters: true } }]) {
    const body = habari('lab/mto', { ...wish, temperature: 0.1, logprobs: true })
    const alone = await chat(body)
    assert.deepEqual([alone.status, alone.body.error.param], [400, 'logprobs'])
    assert.equal(alone.body.error.code, 'model_capability')
    const { result } = await paid(() => chat({ ...body, models: ['lab/vito'] }))
    assert.equal(result.body.model, 'lab/vito')
    assert.equal((await chat(habari('lab/mto', { ...wish, temperature: 0.1 }))).status, 200)
  }
})

test('provider.max_price: what is dearer for the customer is not asked', async () => {
  const cheap = { provider: { max_price: { prompt: 1, completion: '2' } } }
  const alone = await chat(habari('lab/bahari', cheap))
  assert.deepEqual([alone.status, alone.body.error.param], [400, 'provider.max_price.prompt'])
  assert.match(alone.body.error.message, /"lab\/bahari" costs 10 dollars a million tokens/)
  const { result } = await paid(() =>
    chat(habari('lab/bahari', { ...cheap, models: ['lab/vito'] })),
  )
  assert.equal(result.body.model, 'lab/vito')
  const exact = { provider: { max_price: { prompt: 10, completion: 50, request: 0, image: null } } }
  assert.equal((await chat(habari('lab/bahari', exact))).status, 200)
})

test('provider.sort by price: the cheapest for this request is asked first', async () => {
  const models = ['lab/mto', 'lab/vito']
  const sorted = await chat(habari('lab/bahari', { models, provider: { sort: 'price' } }))
  assert.equal(sorted.body.model, 'lab/vito')
  assert.equal(sorted.headers.get('x-ignored-parameters'), null)
  const fast = await chat(habari('lab/bahari', { models, provider: { sort: 'latency' } }))
  assert.equal(fast.body.model, 'lab/bahari')
  assert.equal(fast.headers.get('x-ignored-parameters'), 'provider.sort')
})

test('provider.allow_fallbacks: false asks one place that runs the model', async () => {
  const before = asked()
  const alone = await chat(habari('lab/broken', { provider: { allow_fallbacks: false } }))
  assert.deepEqual([alone.status, asked()], [502, before + 1])
  await chat(habari('lab/broken'))
  assert.equal(asked(), before + 3)
})

test('provider.data_collection: deny is told to those who can keep it, and asks nobody else', async () => {
  const deny = { provider: { data_collection: 'deny' } }
  for (const dialect of ['chat/completions', 'messages']) {
    const answer = await app.call(path(dialect), { token: asha.key, body: habari('lab/mto', deny) })
    assert.equal(answer.status, 200)
    const [one, other] = [moja, mbili].map(({ asked: all }) => all.at(-1)!.body.provider)
    assert.deepEqual(one ?? other, { data_collection: 'deny' })
  }
  const none = await chat(habari('lab/wazi', deny))
  assert.deepEqual([none.status, none.body.error.param], [400, 'provider.data_collection'])
  const { result } = await paid(() => chat(habari('lab/wazi', { ...deny, models: ['lab/mto'] })))
  assert.equal(result.body.model, 'lab/mto')
})

test('members that name a provider are ignored and named; odd ones are 400', async () => {
  const provider = { order: ['x'], only: ['y'], zdr: true, max_price: { audio: 1 }, ignore: null }
  const answer = await chat(habari('lab/mto', { provider }))
  assert.equal(answer.status, 200)
  assert.equal(
    answer.headers.get('x-ignored-parameters'),
    'provider.order, provider.only, provider.zdr, provider.max_price.audio',
  )
  const odd: [object, string][] = [
    [{ provider: 'x' }, 'provider'],
    [{ provider: [] }, 'provider'],
    [{ provider: { sort: 'cheap' } }, 'provider.sort'],
    [{ provider: { sort: { by: 'price' } } }, 'provider.sort'],
    [{ provider: { allow_fallbacks: 'no' } }, 'provider.allow_fallbacks'],
    [{ provider: { require_parameters: 1 } }, 'provider.require_parameters'],
    [{ provider: { data_collection: 'never' } }, 'provider.data_collection'],
    [{ provider: { max_price: 3 } }, 'provider.max_price'],
    [{ require_parameters: 'yes' }, 'require_parameters'],
    ...['x', -1, {}, [], '1e400', '-0.1', true, '9'.repeat(400)].map((price): [object, string] => [
      { provider: { max_price: { completion: price } } },
      'provider.max_price.completion',
    ]),
  ]
  for (const [wish, param] of odd) {
    const refused = await chat(habari('lab/mto', wish))
    assert.deepEqual([refused.status, refused.body.error.param], [400, param], JSON.stringify(wish))
  }
})
