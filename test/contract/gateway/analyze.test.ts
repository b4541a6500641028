import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { FILM } from '../../../simulator/models/film.ts'
import { drawPng } from '../../../simulator/models/picture.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import type { Loose } from '../../support/loose.ts'
import { startApp } from '../../support/app.ts'
import { makePdf } from '../../support/samples/pdf.ts'

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 1_500, idle_ms: 1_500 } } })
  asha = await app.customer('1000')
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const MIB = 1024 * 1024
const DOORS = {
  document: {
    path: '/v1/documents/analyze',
    bytes: makePdf(3),
    cap: 15 * MIB,
    type: 'application/pdf',
  },
  image: {
    path: '/v1/vision/analyze',
    bytes: drawPng('x', 8, 8),
    cap: 10 * MIB,
    type: 'image/png',
  },
  video: { path: '/v1/video/analyze', bytes: FILM, cap: 8 * MIB, type: 'video/mp4' },
} as const
type Field = keyof typeof DOORS
const FIELDS = Object.keys(DOORS) as Field[]

const json = (field: Field, more: object = {}, sent: object = {}) => ({
  model: 'sim/macho',
  prompt: 'Eleza unachokiona',
  [field]: { data: DOORS[field].bytes.toString('base64'), ...sent },
  ...more,
})
const ask = (field: Field, body: unknown, headers: Record<string, string> = {}, token = asha.key) =>
  app.call(`POST ${DOORS[field].path}`, { token, body, headers })

type Part = [name: string, value: string | Blob]
async function upload(field: Field, parts: Part[]) {
  const form = new FormData()
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, 'faili.bin')
  }
  const answer = await fetch(app.url + DOORS[field].path, {
    method: 'POST',
    headers: { authorization: `Bearer ${asha.key}` },
    body: form,
  })
  return { status: answer.status, body: (await answer.json()) as Loose }
}
const fileOf = (bytes: Uint8Array, type = ''): Part => [
  'file',
  new Blob([new Uint8Array(bytes)], { type }),
]
const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
const sentParts = () => {
  const body = app.models.log.find({ route: '/chat/completions' }).at(-1)!.body as Loose
  return { body, parts: body.messages.at(-1).content as Loose[] }
}

for (const field of FIELDS) {
  test(`200 ${field}: JSON, charged by tokens, recorded, nothing stored`, async () => {
    const before = await balance()
    const answer = await ask(field, json(field, { max_tokens: 50, temperature: 0.2 }))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { data } = answer.body
    assert.match(data.id, /^anl_[0-9A-Za-z]{24}$/)
    assert.equal(data.object, `${field === 'image' ? 'vision' : field}.analysis`)
    assert.equal(data.model, 'sim/macho')
    assert.match(data.text, /\w/)
    assert.equal(data.finish_reason, 'stop')
    assert.match(data.created_at, /Z$/)
    const { prompt_tokens: p, completion_tokens: c, total_tokens: t, cost_credits } = data.usage
    assert.equal(t, p + c)
    assert.equal(Number(answer.headers.get('x-credits-charged')), cost_credits)
    const spent = Math.round((before.balance_credits - (await balance()).balance_credits) * 1e6)
    assert.equal(spent, Math.round(cost_credits * 1e6))
    const [record] = (await app.call('GET /v1/activity?limit=1', { token: asha.token })).body.data
    assert.equal(record.kind, `${field === 'image' ? 'vision' : field}_analysis`)
    assert.equal(record.cost_credits, cost_credits)
    const { body, parts } = sentParts()
    assert.deepEqual([body.max_tokens, body.temperature], [50, 0.2])
    assert.deepEqual(parts[0], { type: 'text', text: 'Eleza unachokiona' })
    const url = `data:${DOORS[field].type};base64,${DOORS[field].bytes.toString('base64')}`
    assert.ok(JSON.stringify(parts[1]).includes(url))
  })

  test(`200 ${field}: multipart, fields before and after the file, instruction for prompt`, async () => {
    const { bytes, type } = DOORS[field]
    const answer = await upload(field, [
      ['model', 'sim/macho'],
      fileOf(bytes, type),
      ['instruction', 'Describe it'],
      ['language', 'sw'],
      ['max_tokens', '60'],
      ['temperature', '0.5'],
    ])
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { body, parts } = sentParts()
    assert.match(body.messages[0].content, /Kiswahili/)
    assert.equal(parts[0]!.text, 'Describe it')
    assert.deepEqual([body.max_tokens, body.temperature], [60, 0.5])
  })

  test(`400 ${field}: the message names what is wrong`, async () => {
    const { bytes, cap } = DOORS[field]
    const large = Buffer.alloc(cap + 1)
    bytes.copy(large)
    const data = `${field}.data`
    const bad: [object, string, string][] = [
      [json(field, { model: undefined }), 'model', 'validation_error'],
      [json(field, { prompt: undefined }), 'prompt', 'validation_error'],
      [json(field, { prompt: '  ' }), 'prompt', 'validation_error'],
      [json(field, { max_tokens: 0 }), 'max_tokens', 'validation_error'],
      [json(field, { language: 'xx-nowhere-at-all' }), 'language', 'validation_error'],
      [json(field, { [field]: undefined }), field, 'validation_error'],
      [json(field, {}, { data: 'AAAA' }), data, 'validation_error'],
      [json(field, {}, { data: '' }), data, 'validation_error'],
      [json(field, {}, { data: `data:x;base64,${'A'.repeat(8)}` }), data, 'validation_error'],
      [json(field, {}, { data: '%%%%' }), data, 'validation_error'],
      [json(field, {}, { data: large.toString('base64') }), data, 'validation_error'],
      [json(field, { model: 'sim/vekta' }), 'model', 'invalid_request_error'],
    ]
    if (field !== 'document') {
      bad.push([json(field, { model: 'sim/hekima' }), 'model', 'invalid_request_error'])
    }
    for (const [body, param, code] of bad) {
      const answer = await ask(field, body)
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      assert.equal(answer.body.error_code, code, param)
      assert.equal(answer.body.error.param, param)
    }
    const uploads: [Part[], string][] = [
      [
        [
          ['model', 'sim/macho'],
          ['prompt', 'x'],
        ],
        'file',
      ],
      [[['model', 'sim/macho'], ['prompt', 'x'], fileOf(large)], 'file'],
      [[['model', 'sim/macho'], ['prompt', 'x'], fileOf(Buffer.from('no such'))], 'file'],
      [[['model', 'sim/macho'], fileOf(bytes)], 'prompt'],
      [[['prompt', 'x'], fileOf(bytes)], 'model'],
      [
        [['model', 'sim/macho'], ['prompt', 'x'], ['temperature', 'hot'], fileOf(bytes)],
        'temperature',
      ],
    ]
    for (const [parts, param] of uploads) {
      const answer = await upload(field, parts)
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      assert.equal(answer.body.error.param, param)
    }
  })

  test(`401, 402, 404 ${field}`, async () => {
    assert.equal((await ask(field, json(field), {}, 'mlg_no')).status, 401)
    const poor = await app.customer('0')
    app.models.log.clear()
    const broke = await ask(field, json(field), {}, poor.key)
    assert.equal(broke.status, 402)
    assert.equal(broke.body.error_code, 'insufficient_credits')
    assert.equal(app.models.log.count(), 0)
    assert.equal((await ask(field, json(field, { model: 'sim/none' }))).status, 404)
  })

  test(`400 ${field}: over its size, by how much ever, as JSON or as a form`, async () => {
    const { cap } = DOORS[field]
    const mib = `${cap / MIB} MiB`
    const parts = (size: number): Part[] => [
      ['model', 'sim/macho'],
      ['prompt', 'x'],
      fileOf(Buffer.alloc(size)),
    ]
    const data = (size: number) => Buffer.alloc(size).toString('base64')
    for (const size of [cap + 1, cap * 3]) {
      for (const answer of [
        await ask(field, json(field, {}, { data: data(size) })),
        await upload(field, parts(size)),
      ]) {
        assert.equal(answer.status, 400, JSON.stringify(answer.body))
        assert.equal(answer.body.error_code, 'validation_error')
        assert.ok(answer.body.message.includes(mib), answer.body.message)
        assert.equal(answer.body.error.type, 'invalid_request_error')
      }
    }
    for (const type of ['multipart/form-data; boundary=x', 'application/json']) {
      const unannounced = await fetch(app.url + DOORS[field].path, {
        method: 'POST',
        headers: { authorization: `Bearer ${asha.key}`, 'content-type': type },
        body: ReadableStream.from(
          (async function* () {
            yield Buffer.from(
              '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
            )
            for (let n = 0; n < 30; n++) yield Buffer.alloc(1024 * 1024)
          })(),
        ),
        duplex: 'half',
      })
      const { error_code, message } = (await unannounced.json()) as Loose
      assert.deepEqual([unannounced.status, error_code], [400, 'validation_error'])
      assert.ok(message.includes(mib), message)
    }
  })
}

test('a PDF goes to a model that cannot read files as text, and never to a paid reader', async () => {
  assert.equal((await ask('document', json('document', { model: 'sim/hekima' }))).status, 200)
  const engine = (name: string) => [{ id: 'file-parser', pdf: { engine: name } }]
  assert.deepEqual(sentParts().body.plugins, engine('cloudflare-ai'))
  const plugins = engine('mistral-ocr')
  assert.equal((await ask('document', json('document', { plugins }))).status, 200)
  assert.deepEqual(sentParts().body.plugins, engine('native'))
})

test('400: the bytes are not of the declared type', async () => {
  const { status, body } = await ask('image', json('image', {}, { media_type: 'image/jpeg' }))
  assert.equal(status, 400)
  assert.match(body.message, /declared as image\/jpeg, but the bytes are image\/png/)
})

test('200 again: the same key gives the same bytes and no second charge', async () => {
  const headers = { 'idempotency-key': 'hati' }
  const first = await ask('document', json('document'), headers)
  const before = await balance()
  const again = await ask('document', json('document'), headers)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(again.body, first.body)
  assert.deepEqual(await balance(), before)
})

test('faults of the upstream are reported in both dialects and cost nothing', async () => {
  const before = await balance()
  const faults: [string, number][] = [
    ['hang', 502],
    ['bad-json', 502],
    ['context-length', 400],
    ['status-503', 503],
    ['429-7', 429],
  ]
  for (const [fault, status] of faults) {
    const answer = await ask('document', json('document', { model: `sim/fault-${fault}` }))
    assert.equal(answer.status, status, fault)
    assert.equal(answer.body.status, 'error')
    assert.equal(typeof answer.body.error.type, 'string')
  }
  assert.deepEqual(await balance(), before)
})
