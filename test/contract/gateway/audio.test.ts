import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI, { toFile } from 'openai'
import { mp3, wav } from '../../../simulator/models/sound.ts'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import { AUDIO_FORMATS } from '../../../src/gateway/media/audio-format.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { watch } from '../../support/money/paid.ts'
import { sampleFile } from '../../support/samples/files.ts'
import { ebml, mp4, SOUNDS } from '../../support/samples/sounds.ts'

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>
let books: ReturnType<typeof watch>

const SPOKEN =
  'Mimi ni Neema Mushi wa Mwanza. Nimelipa TZS 45,500 tarehe 12 Machi, kumbukumbu RK88TZ01.'
const like = (id: string, as: string, pricing: Record<string, string>) => ({
  ...SIMULATED_MODELS.find((model) => model.id === as)!,
  id,
  pricing,
})

before(async () => {
  app = await startApp({
    upstream: { timeouts: { first_byte_ms: 5_000, idle_ms: 1_500 } },
    simulator: {
      models: [
        like('sim/sikia-siri', 'sim/sikia', { prompt: '0.05', completion: '0' }),
        like('sim/sikia-saa', 'sim/sikia', { prompt: '0.36', completion: '0' }),
        like('sim/dakika-transcription-fault-cost-null', 'sim/sikia', {
          prompt: '0.016',
          completion: '0',
        }),
        like('sim/sema-siri', 'sim/sema', { prompt: '0.5', completion: '0' }),
        like('sim/sema-tokeni', 'sim/sema', { prompt: '0.0000006', completion: '0.00001' }),
        like('sim/transcription-fault-cost-null', 'sim/sikia', {
          prompt: '0.05',
          completion: '0',
        }),
      ],
    },
  })
  asha = await app.customer('1000')
  books = watch(app, asha.accountId)
})
after(() => app.close())

const base64 = (bytes: Buffer) => bytes.toString('base64')
const spoken = (more: object = {}) => ({
  input_audio: { data: base64(wav(SPOKEN)), format: 'wav' },
  ...more,
})
const hear = (body: unknown, token = asha.key) =>
  app.call('POST /v1/audio/transcriptions', { token, body })
type Said = { status: number; headers: Headers; bytes: Buffer; body: Loose }
async function say(
  body: unknown,
  more: { token?: string; signal?: AbortSignal } = {},
): Promise<Said> {
  const answer = await fetch(`${app.url}/v1/audio/speech`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${more.token ?? asha.key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
    ...(more.signal === undefined ? {} : { signal: more.signal }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const isJson = answer.headers.get('content-type')?.includes('json')
  const body_: Loose = isJson ? JSON.parse(bytes.toString()) : undefined
  return { status: answer.status, headers: answer.headers, bytes, body: body_ }
}
async function upload(form: FormData, token = asha.key) {
  const answer = await fetch(`${app.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  const body: Loose = await answer.json()
  return { status: answer.status, headers: answer.headers, body }
}
const file = (bytes: Buffer, name = 'voice.bin') => new File([new Uint8Array(bytes)], name)
function form(...fields: [string, string | File][]): FormData {
  const made = new FormData()
  for (const [name, value] of fields) made.append(name, value)
  return made
}

test('transcription 200: Kiswahili with its names and amounts, charged what it cost', async () => {
  app.models.log.clear()
  const { result, records, spent } = await books.during(() => hear(spoken({ language: 'sw' })))
  assert.equal(result.status, 200, JSON.stringify(result.body))
  assert.equal(result.body.text, SPOKEN)
  assert.equal(result.body.language, 'sw')
  const { duration, usage } = result.body
  assert.ok(duration > 5 && duration < 8, String(duration))
  assert.equal(usage.seconds, duration)
  assert.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens)
  assert.match(result.headers.get('x-generation-id')!, /^gen-/)
  const { cost } = app.models.log.entries[0]!
  assert.ok(Math.abs(spent - cost! * 3_000) < 2e-6, `${spent}, ${cost}`)
  assert.equal(Number(result.headers.get('x-credits-charged')), spent)
  assert.ok(result.headers.get('x-credits-remaining'))
  assert.deepEqual(
    records.map(({ kind, status, model, estimated }) => [kind, status, model, estimated]),
    [['transcription', 'completed', 'sim/sikia', false]],
  )
})

test('transcription 200: every format, as JSON and as a file; the upstream gets the format', async () => {
  for (const format of AUDIO_FORMATS) {
    app.models.log.clear()
    const data = base64(SOUNDS[format])
    const asJson = await hear({ input_audio: { data, format } })
    assert.equal(asJson.status, 200, `${format}: ${JSON.stringify(asJson.body)}`)
    const asFile = await upload(form(['file', file(SOUNDS[format])]))
    assert.equal(asFile.status, 200, format)
    for (const { body } of app.models.log.entries) {
      assert.deepEqual((body as Loose).input_audio, { data, format })
      assert.equal((body as Loose).response_format, 'json')
    }
  }
  const phone = await upload(form(['file', file(mp4('isom', ['soun'], true), 'memo.mp4')]))
  assert.equal(phone.status, 200)
})

test('transcription 200: verbose_json, fields after the file, lists, a language by name', async () => {
  app.models.log.clear()
  const { body, status } = await upload(
    form(
      ['file', file(wav(SPOKEN), '../../etc/passwd')],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['temperature', '0.2'],
      ['model', 'sim/sikia-mini'],
      ['provider', 'mine'],
    ),
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.text, SPOKEN)
  assert.equal(body.language, 'sw')
  assert.equal(body.task, 'transcribe')
  assert.equal(body.segments[0].text, SPOKEN)
  assert.equal(body.usage.type, 'duration')
  assert.ok(body.usage.seconds > 0)
  const sent = app.models.log.entries[0]!.body as Loose
  assert.deepEqual(sent.timestamp_granularities, ['word', 'segment'])
  assert.equal(sent.temperature, 0.2)
  assert.equal(sent.model, 'sim/sikia-mini')
  assert.equal(sent.provider, undefined)
  const named = await hear(spoken({ language: 'Kiswahili', response_format: 'verbose_json' }))
  assert.equal(named.body.language, 'sw')
})

test("transcription 200: Kiswahili unless another language is named; auto is the model's to find", async () => {
  const ways: [object, string | undefined, string][] = [
    [{}, 'sw', 'sw'],
    [{ language: null }, 'sw', 'sw'],
    [{ language: '' }, 'sw', 'sw'],
    [{ language: 'en' }, 'en', 'en'],
    [{ language: 'auto' }, undefined, 'und'],
    [{ language: 'auto', response_format: 'verbose_json' }, undefined, 'sw'],
  ]
  for (const [fields, sent, told] of ways) {
    app.models.log.clear()
    const asJson = await hear(spoken(fields))
    const asFile = await upload(
      form(
        ['file', file(wav(SPOKEN))],
        ...Object.entries(fields).map(([name, value]) => [name, value ?? ''] as [string, string]),
      ),
    )
    for (const { body } of [asJson, asFile]) assert.equal(body.language, told, JSON.stringify(body))
    const asked = app.models.log.entries.map(({ body }) => (body as Loose).language)
    assert.deepEqual(asked, [sent, sent], JSON.stringify(fields))
  }
})

test('VOICE_DEFAULT_LANGUAGE is the language of voice where the caller names none', async () => {
  const english = await startApp({ env: { VOICE_DEFAULT_LANGUAGE: 'en' } })
  const { key: token } = await english.customer('100')
  const { body } = await english.call('POST /v1/audio/transcriptions', { token, body: spoken() })
  assert.equal(body.language, 'en')
  const told = await english.call('POST /v1/voice/responses', {
    token,
    body: { audio_data: base64(wav('My name is Asha.')), audio_format: 'wav' },
  })
  assert.equal(told.body.transcript_language, 'en')
  assert.match(told.body.text, /^Hello Asha/)
  const heard = english.models.log.find({ route: '/audio/transcriptions' })
  assert.deepEqual(
    heard.map((one) => (one.body as Loose).language),
    ['en', 'en'],
  )
  await english.close()
})

const invalid: [string, unknown, string | null, string | null][] = [
  ['no body', undefined, null, null],
  ['no audio', {}, 'input_audio', null],
  ['audio as text', { input_audio: 'UklGRg==' }, 'input_audio', null],
  ['unknown format', { input_audio: { data: 'AAAA', format: 'amr' } }, 'input_audio.format', null],
  [
    'a data URI',
    { input_audio: { data: 'data:audio/wav;base64,UklGRg==', format: 'wav' } },
    'input_audio.data',
    null,
  ],
  ['not base64', { input_audio: { data: 'habari!!', format: 'wav' } }, 'input_audio.data', null],
  ['spaces', { input_audio: { data: 'Ukl GR==', format: 'wav' } }, 'input_audio.data', null],
  ['url-safe', { input_audio: { data: 'Uk-_', format: 'wav' } }, 'input_audio.data', null],
  ['wrong padding', { input_audio: { data: 'UklGRg', format: 'wav' } }, 'input_audio.data', null],
  ['empty', { input_audio: { data: '', format: 'wav' } }, 'input_audio.data', null],
  [
    'MP3 called WAV',
    { input_audio: { data: base64(mp3('a')), format: 'wav' } },
    'input_audio.format',
    'audio_format_mismatch',
  ],
  [
    'Matroska called WebM',
    { input_audio: { data: base64(ebml('matroska')), format: 'webm' } },
    'input_audio.format',
    'audio_format_mismatch',
  ],
  [
    'text called MP3',
    { input_audio: { data: base64(Buffer.from('hello there')), format: 'mp3' } },
    'input_audio.format',
    'audio_format_mismatch',
  ],
  ['a path as language', spoken({ language: '../../../' }), 'language', null],
  ['a long language', spoken({ language: 'a'.repeat(10_000) }), 'language', null],
  ['subtitles', spoken({ response_format: 'srt' }), 'response_format', null],
  ['a stream', spoken({ stream: true }), 'stream', null],
  ['temperature 9', spoken({ temperature: 9 }), 'temperature', null],
  ['a model that cannot transcribe', spoken({ model: 'sim/hekima' }), 'model', 'model_capability'],
]
for (const [name, body, param, code] of invalid) {
  test(`transcription 400: ${name}`, async () => {
    app.models.log.clear()
    const { result, records } = await books.during(() => hear(body))
    assert.equal(result.status, 400, JSON.stringify(result.body))
    assert.equal(result.body.error.type, 'invalid_request_error')
    assert.equal(result.body.error.param, param)
    assert.equal(result.body.error.code, code)
    assert.deepEqual(records, [])
    assert.equal(app.models.log.count(), 0)
  })
}

const badForms: [string, () => FormData, string | null][] = [
  ['no file', () => form(['model', 'sim/sikia']), 'file'],
  ['the file as a field', () => form(['file', 'UklGRg==']), 'file'],
  ['the file by another name', () => form(['audio', file(SOUNDS.wav)]), 'file'],
  ['an empty file', () => form(['file', file(Buffer.alloc(0))]), 'file'],
  ['a picture', () => form(['file', file(Buffer.from('GIF89a____________'))]), 'file'],
  ['two files', () => form(['file', file(SOUNDS.wav)], ['file', file(SOUNDS.wav)]), null],
  ['two models', () => form(['file', file(SOUNDS.wav)], ['model', 'a'], ['model', 'b']), 'model'],
  [
    'plain text',
    () => form(['file', file(SOUNDS.wav)], ['response_format', 'text']),
    'response_format',
  ],
]
for (const [name, made, param] of badForms) {
  test(`transcription 400, multipart: ${name}`, async () => {
    const answer = await upload(made())
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, 'invalid_request_error')
    assert.equal(answer.body.error.param, param)
  })
}

test('transcription 413: one byte over 25 MiB, either way; exactly 25 MiB is transcribed', async () => {
  const cap = 25 * 1024 * 1024
  const large = Buffer.concat([wav(SPOKEN), Buffer.alloc(cap)])
  const over = large.subarray(0, cap + 1)
  const { records } = await books.during(async () => {
    for (const answer of [
      await hear({ input_audio: { data: base64(over), format: 'wav' } }),
      await upload(form(['file', file(over)])),
      await upload(form(['file', file(Buffer.concat([large, large]))])),
    ]) {
      assert.equal(answer.status, 413, JSON.stringify(answer.body))
      assert.equal(answer.body.error.type, 'invalid_request_error')
      assert.equal(answer.body.error.code, 'payload_too_large')
    }
  })
  assert.deepEqual(records, [])
  const whole = await upload(form(['file', file(large.subarray(0, cap))]))
  assert.equal(whole.status, 200, JSON.stringify(whole.body))
})

/** Without a Content-Length: the size shows only as it comes. */
function inChunks(...pieces: Buffer[]): ReadableStream {
  const left = [
    Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
    ...pieces,
    Buffer.from('\r\n--x--\r\n'),
  ]
  return new ReadableStream({
    pull(controller) {
      const next = left.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(new Uint8Array(next))
    },
  })
}

test('transcription of an upload without a declared length: transcribed, or 413', async () => {
  for (const [megabytes, status] of [
    [3, 200],
    [25, 413],
    [40, 413],
  ] as const) {
    const answer = await fetch(`${app.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${asha.key}`,
        'content-type': 'multipart/form-data; boundary=x',
      },
      body: inChunks(
        wav(SPOKEN),
        ...Array.from({ length: megabytes }, () => Buffer.alloc(1024 * 1024)),
      ),
      duplex: 'half',
    })
    assert.equal(answer.status, status, String(megabytes))
    assert.equal(((await answer.json()) as Loose).text, status === 200 ? SPOKEN : undefined)
  }
})

test('the caller leaves in the middle of an upload: nothing is held or recorded', async () => {
  app.models.log.clear()
  for (const type of ['multipart/form-data; boundary=x', 'application/json']) {
    const { records } = await books.during(async () => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
      socket.write(
        `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${asha.key}\r\n` +
          `Content-Type: ${type}\r\nContent-Length: 9000000\r\n\r\n` +
          (type === 'application/json'
            ? '{"input_audio":{"data":"'
            : '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
      )
      socket.write(Buffer.alloc(1_000_000, 'A'))
      await sleep(100)
      socket.destroy()
      await sleep(100)
    })
    assert.deepEqual(records, [])
  }
  assert.equal(app.models.log.count(), 0)
})

test('401, 402, 404 on both routes; nothing reaches an upstream', async () => {
  const poor = await app.customer('0')
  app.models.log.clear()
  const answers = [
    [await hear(spoken(), 'mlg_x'), 401],
    [await say({ input: 'x' }, { token: 'mlg_x' }), 401],
    [await hear(spoken(), poor.key), 402],
    [await hear(spoken({ model: 'sim/sikia-siri' }), poor.key), 402],
    [await say({ input: 'Habari' }, { token: poor.key }), 402],
    [await hear(spoken({ model: 'sim/none' })), 404],
    [await say({ input: 'x', model: 'sim/none' }), 404],
  ] as const
  const types = { 401: 'unauthorized', 402: 'insufficient_quota', 404: 'not_found' }
  for (const [answer, status] of answers) {
    assert.equal(answer.status, status)
    assert.equal(answer.body.error.type, types[status])
  }
  assert.equal(app.models.log.count(), 0)
})

test('a session may call too, and then without a workspace', async () => {
  assert.equal((await hear(spoken(), asha.token)).status, 200)
  assert.equal((await say({ input: 'Karibu' }, { token: asha.token })).status, 200)
})

test('speech 200: MP3 by default, charged by the character; a transcription gives the text back', async () => {
  const { result, records, spent } = await books.during(() => say({ input: SPOKEN }))
  assert.equal(result.status, 200)
  assert.equal(result.headers.get('content-type'), 'audio/mpeg')
  assert.equal(Number(result.headers.get('content-length')), result.bytes.length)
  assert.match(result.headers.get('x-generation-id')!, /^gen-/)
  assert.equal(Math.round(spent * 1e6), SPOKEN.length * 45_000)
  assert.equal(Number(result.headers.get('x-credits-charged')), spent)
  assert.deepEqual(
    records.map(({ kind, status, model, estimated }) => [kind, status, model, estimated]),
    [['speech', 'completed', 'sim/sema', false]],
  )
  const transcript = await upload(form(['file', file(result.bytes, 'a.mp3')]))
  assert.equal(transcript.body.text, SPOKEN)
})

test('speech 200: PCM; other fields are passed on; voice and speed reach the model', async () => {
  app.models.log.clear()
  const answer = await say({
    input: 'Karibu',
    voice: 'juma',
    response_format: 'pcm',
    speed: 1.5,
    instructions: 'taratibu',
    provider: {},
  })
  assert.equal(answer.headers.get('content-type'), 'audio/pcm')
  assert.ok(answer.bytes.length > 10_000 && answer.bytes.length % 2 === 0)
  const sent = app.models.log.entries[0]!.body as Loose
  assert.deepEqual(
    [sent.voice, sent.speed, sent.instructions, sent.response_format, sent.provider],
    ['juma', 1.5, 'taratibu', 'pcm', undefined],
  )
})

const unsayable: [string, unknown, string][] = [
  ['no input', {}, 'input'],
  ['input empty', { input: ' \n' }, 'input'],
  ['input a number', { input: 5 }, 'input'],
  ['half an emoji', { input: 'a\ud83d' }, 'input'],
  ['opus', { input: 'x', response_format: 'opus' }, 'response_format'],
  ['as events', { input: 'x', stream_format: 'sse' }, 'stream_format'],
  ['speed 0', { input: 'x', speed: 0 }, 'speed'],
  ['a voice that the model does not have', { input: 'x', voice: 'alloy' }, 'voice'],
  ['a model that cannot speak', { input: 'x', model: 'sim/sikia' }, 'model'],
]
for (const [name, body, param] of unsayable) {
  test(`speech 400: ${name}`, async () => {
    const answer = await say(body)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.type, 'invalid_request_error')
    assert.equal(answer.body.error.param, param)
  })
}

test('speech: 100,000 emoji are accepted, one more is not', async () => {
  const rich = await app.customer('10000')
  assert.equal((await say({ input: '😀'.repeat(100_000) }, { token: rich.key })).status, 200)
  const over = await say({ input: '😀'.repeat(100_001) }, { token: rich.key })
  assert.equal(over.status, 400)
  assert.equal(over.body.error.param, 'input')
})

const faults: [string, number, string][] = [
  ['drop', 502, 'server_error'],
  ['hang', 502, 'server_error'],
  ['silent', 502, 'server_error'],
  ['reset', 502, 'server_error'],
  ['html', 502, 'server_error'],
  ['empty', 502, 'server_error'],
  ['other-shape', 502, 'server_error'],
  ['429-7', 429, 'rate_limit_exceeded'],
  ['status-400', 502, 'server_error'],
  ['status-401', 502, 'server_error'],
  ['status-500', 502, 'server_error'],
  ['status-503', 503, 'server_error'],
  ['content-policy', 400, 'invalid_request_error'],
  ['redirect', 502, 'server_error'],
]
const speechFaults: [string, number, string][] = [
  ...faults,
  ['audio-huge', 413, 'invalid_request_error'],
  ['audio-json', 502, 'server_error'],
  ['audio-wav', 502, 'server_error'],
]
const failing = (kind: 'transcription' | 'speech', fault: string) => {
  const model = `sim/${kind}-fault-${fault}`
  return kind === 'speech' ? say({ model, input: SPOKEN }) : hear(spoken({ model }))
}
for (const kind of ['transcription', 'speech'] as const) {
  for (const [fault, status, type] of kind === 'speech' ? speechFaults : faults) {
    test(`${kind}, fault ${fault}: ${status} as JSON, nothing charged`, async () => {
      const { result, records, spent } = await books.during(() => failing(kind, fault))
      assert.equal(result.status, status, JSON.stringify(result.body))
      assert.match(result.headers.get('content-type')!, /^application\/json/)
      assert.equal(result.body.error.type, type)
      assert.doesNotMatch(
        JSON.stringify(result.body),
        /simulator|SimProvider|127\.0\.0\.1|sim-key/i,
      )
      assert.equal(spent, 0)
      assert.deepEqual(
        records.map((one) => [one.kind, one.status]),
        [[kind, 'failed']],
      )
    })
  }
}

test('PCM that is JSON or a WAV file: 502', async () => {
  for (const fault of ['audio-json', 'audio-wav']) {
    const model = `sim/speech-fault-${fault}`
    assert.equal((await say({ model, input: SPOKEN, response_format: 'pcm' })).status, 502, fault)
  }
})

/** Two seconds, of which the last page claims that it ends with the first. */
const overAtOnce = sampleFile('opus.ogg')
overAtOnce.fill(0, overAtOnce.lastIndexOf('OggS') + 6, overAtOnce.lastIndexOf('OggS') + 14)
const OVER_AT_ONCE = { data: base64(overAtOnce), format: 'ogg' }

// The recording is 5.87 seconds, at 0.3 credits.
const priced: [string, () => Promise<unknown>, number, boolean][] = [
  [
    'no usage: the seconds of the file',
    () => failing('transcription', 'usage-missing'),
    1.761,
    true,
  ],
  [
    'no usage, and a recording that claims to be over at once: the seconds of its packets',
    () => hear({ model: 'sim/transcription-fault-usage-missing', input_audio: OVER_AT_ONCE }),
    0.606,
    true,
  ],
  ['a usage of zero costs nothing', () => failing('transcription', 'usage-zero'), 0, false],
  ['negative usage is implausible', () => failing('transcription', 'usage-negative'), 1.761, true],
  [
    'a negative cost is left out: the seconds that were counted',
    () => failing('transcription', 'cost-negative'),
    1.761,
    false,
  ],
  [
    'no cost and no price that is known: one credit',
    () => failing('transcription', 'cost-null'),
    1,
    true,
  ],
  [
    'no cost, and a price by the minute: computed',
    () => hear(spoken({ model: 'sim/dakika-transcription-fault-cost-null' })),
    4.7,
    false,
  ],
  [
    'speech without a price that is known: one credit',
    () => say({ input: SPOKEN, model: 'sim/sema-siri' }),
    1,
    true,
  ],
]
for (const [name, act, credits, estimated] of priced) {
  test(`settled: ${name}`, async () => {
    const { records, spent } = await books.during(act)
    assert.ok(Math.abs(spent - credits) < 0.03, String(spent))
    assert.deepEqual(
      records.map((one) => [one.status, one.estimated]),
      [['completed', estimated]],
    )
  })
}

for (const model of ['sim/sikia-siri', 'sim/sikia-saa']) {
  test(`settled: ${model}, whose unit nobody states, as it is reported`, async () => {
    const rich = await app.customer('100000')
    app.models.log.clear()
    const { records, spent } = await watch(app, rich.accountId).during(() =>
      hear(spoken({ model }), rich.key),
    )
    const { cost } = app.models.log.entries[0]!
    // Six seconds at 0.36 are 2.11 USD; it was charged as one credit.
    assert.ok(spent > 800 && Math.abs(spent - cost! * 3_000) < 2e-6, `${spent}, ${cost}`)
    assert.equal(records[0]!.estimated, false)
  })
}

test('settled: a cost over REPORTED_COST_CAP_USD is believed up to it', async () => {
  const other = await startApp({
    env: { REPORTED_COST_CAP_USD: '0.1' },
    simulator: {
      models: [like('sim/sikia-siri', 'sim/sikia', { prompt: '0.05', completion: '0' })],
    },
  })
  try {
    const rich = await other.customer('100000')
    const { records, spent } = await watch(other, rich.accountId).during(() =>
      other.call('POST /v1/audio/transcriptions', {
        token: rich.key,
        body: spoken({ model: 'sim/sikia-siri' }),
      }),
    )
    assert.equal(spent, 300)
    assert.equal(records[0]!.estimated, true)
  } finally {
    await other.close()
  }
})

test('settled: speech by the token is an estimate', async () => {
  const model = 'sim/sema-tokeni'
  const { records, spent } = await books.during(() => say({ input: SPOKEN, model }))
  // 31 tokens in; about six seconds of 25 tokens out, at 0.03 credits.
  assert.ok(spent > 4 && spent < 5.5, String(spent))
  assert.equal(records[0]!.estimated, true)
})

test('an account with few credits spends what it has and no more', async () => {
  const little = await app.customer('0.5')
  const mine = watch(app, little.accountId)
  const text = await mine.during(() => say({ input: SPOKEN }, { token: little.key }))
  assert.equal(text.result.status, 402)
  const nominal = await mine.during(() => hear(spoken({ model: 'sim/sikia-siri' }), little.key))
  assert.equal(nominal.result.status, 200)
  assert.equal(nominal.spent, 0.5)
})

for (const kind of ['transcription', 'speech'] as const) {
  test(`the caller leaves during a ${kind}: cancelled, hold released, upstream call aborted`, async () => {
    app.models.log.clear()
    const leaving = new AbortController()
    const model = `sim/${kind}-fault-hang`
    const path = kind === 'speech' ? '/v1/audio/speech' : '/v1/audio/transcriptions'
    const { records, spent } = await books.during(async () => {
      const call = fetch(app.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(kind === 'speech' ? { model, input: SPOKEN } : spoken({ model })),
        signal: leaving.signal,
      })
      await app.models.log.until({ model, outcome: 'running' })
      leaving.abort()
      await assert.rejects(call)
      await app.models.log.until({ model, outcome: 'left' })
    })
    assert.equal(spent, 0)
    assert.deepEqual(
      records.map((one) => [one.kind, one.status, one.error_code]),
      [[kind, 'cancelled', 'caller_left']],
    )
  })
}

test("OpenAI's SDK, unmodified: speech and transcription", async () => {
  const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: asha.key, maxRetries: 0 })
  const sound = await client.audio.speech.create({
    model: 'sim/sema',
    voice: 'asha',
    input: SPOKEN,
  })
  const bytes = Buffer.from(await sound.arrayBuffer())
  const recording = await toFile(bytes, 'speech.mp3')
  const transcript = await client.audio.transcriptions.create({
    file: recording,
    model: 'sim/sikia',
  })
  assert.equal(transcript.text, SPOKEN)
  const verbose = await client.audio.transcriptions.create({
    file: recording,
    model: 'sim/sikia',
    language: 'sw',
    response_format: 'verbose_json',
    timestamp_granularities: ['segment', 'word'],
  })
  assert.equal(verbose.segments![0]!.text, SPOKEN)
  assert.equal(verbose.language, 'sw')
  await assert.rejects(
    client.audio.transcriptions.create({
      file: await toFile(Buffer.from('x'), 'x.mp3'),
      model: 'sim/sikia',
    }),
    (error: Loose) =>
      error instanceof OpenAI.BadRequestError && error.code === 'audio_format_mismatch',
  )
})
