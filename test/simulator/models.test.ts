import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parseBuffer } from 'music-metadata'
import OpenAI, { toFile } from 'openai'
import { startModelSimulator } from '../../simulator/models/server.ts'
import { mediaType } from '../../src/gateway/media/media-format.ts'
import type { ModelSimulator } from '../../simulator/models/server.ts'
import { wav } from '../../simulator/models/sound.ts'
import type { Loose } from '../support/loose.ts'
import { eventually } from '../support/eventually.ts'

type Json = Record<string, Loose>

let sim: ModelSimulator
let client: OpenAI
before(async () => {
  sim = await startModelSimulator({ latency: { videoMs: 1_500 } })
  client = new OpenAI({ baseURL: sim.url, apiKey: sim.apiKey, maxRetries: 0 })
})
after(() => sim.close())

const headers = () => ({
  authorization: `Bearer ${sim.apiKey}`,
  'content-type': 'application/json',
})
const get = async (path: string): Promise<Json> => {
  const response = await fetch(sim.url + path, { headers: headers() })
  return (await response.json()) as Json
}
const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
  fetch(sim.url + path, {
    method: 'POST',
    headers: { ...headers(), ...more },
    body: JSON.stringify(body),
  })
const ask = (content: string, model = 'sim/hekima') => ({
  model,
  messages: [{ role: 'user' as const, content }],
})

describe('the listings', () => {
  test('give text models only, unless asked for all', async () => {
    const text: Json[] = (await get('/models')).data
    const all: Json[] = (await get('/models?output_modalities=all')).data
    assert.ok(text.every((model) => model.architecture.output_modalities.includes('text')))
    const outputs = new Set(all.flatMap((model) => model.architecture.output_modalities))
    assert.deepEqual(
      [...outputs].toSorted((a, b) => a.localeCompare(b)),
      ['embeddings', 'image', 'speech', 'text', 'transcription', 'video'],
    )
    assert.ok(all.length >= 12)
    assert.ok(all.some((model) => model.pricing.prompt === '-1'))
    assert.ok(all.every((model) => !model.id.includes('fault')))
  })

  test('put the prices of videos and images where the real provider does', async () => {
    const all: Json[] = (await get('/models?output_modalities=all')).data
    const film = all.find((model) => model.id === 'sim/filamu')!
    assert.deepEqual(film.pricing, { prompt: '0', completion: '0' })
    const videos: Json[] = (await get('/videos/models')).data
    assert.equal(videos[0]!.pricing_skus.duration_seconds_with_audio, '0.12')
    const images: Json[] = (await get('/images/models')).data
    assert.ok(images.some((model) => model.id === 'sim/picha'))
    const { endpoints } = await get('/images/models/sim/picha/endpoints')
    assert.deepEqual(endpoints[0].pricing, [
      { billable: 'output_image', unit: 'image', cost_usd: 0.04 },
    ])
  })

  test('need no key; calls to models do', async () => {
    assert.equal((await fetch(`${sim.url}/models`)).status, 200)
    const refused = await fetch(`${sim.url}/key`, { headers: { authorization: 'Bearer wrong' } })
    assert.equal(refused.status, 401)
    assert.equal(((await refused.json()) as Json).error.code, 401)
    assert.equal((await get('/key')).data.is_free_tier, false)
  })
})

describe('chat', () => {
  test('answers in the language of the prompt and keeps its names and amounts', async () => {
    const swahili = await client.chat.completions.create(
      ask(
        'Habari, naitwa Asha Juma. Nimelipa TZS 25,000, kumbukumbu QW12ER34. Salio langu ni ngapi?',
      ),
    )
    const text = swahili.choices[0]!.message.content!
    for (const part of ['Habari Asha Juma', 'TZS 25,000', 'QW12ER34', 'Kiasi']) {
      assert.ok(text.includes(part), `${part} in ${text}`)
    }
    const english = await client.chat.completions.create(ask('Hello, what is the time in Dodoma?'))
    assert.match(english.choices[0]!.message.content!, /You asked/)
    assert.match(swahili.id, /^gen-/)
  })

  test('costs what its own price list says', async () => {
    const { usage } = await client.chat.completions.create(ask('What is the price of maize?'))
    const { prompt_tokens: input, completion_tokens: output, cost } = usage as unknown as Json
    const wanted = (BigInt(input) * 25n + BigInt(output) * 100n).toString()
    assert.equal(Number(`${wanted}e-7`).toFixed(9), cost.toFixed(9))
    assert.equal(usage!.total_tokens, input + output)
  })

  test('streams words, then usage, then the end', async () => {
    const stream = await client.chat.completions.create({ ...ask('Habari za leo?'), stream: true })
    let text = ''
    let pieces = 0
    let total = 0
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      pieces++
      total = chunk.usage?.total_tokens ?? total
    }
    assert.match(text, /^Habari! Umeuliza: "Habari za leo\?"/)
    assert.ok(pieces > 5 && total > 0)
  })

  test('calls a tool when tools are given, and uses its result', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'get_balance',
          parameters: {
            type: 'object',
            properties: { account: { type: 'integer' } },
            required: ['account'],
          },
        },
      },
    ]
    const first = await client.chat.completions.create({ ...ask('Balance of 4711 please'), tools })
    const call = first.choices[0]!.message.tool_calls![0]!
    assert.equal(first.choices[0]!.finish_reason, 'tool_calls')
    assert.equal(call.type === 'function' && call.function.arguments, '{"account":4711}')
    const second = await client.chat.completions.create({
      model: 'sim/hekima',
      tools,
      messages: [
        { role: 'user', content: 'Balance of 4711 please' },
        first.choices[0]!.message,
        { role: 'tool', tool_call_id: call.id, content: 'TZS 90,000' },
      ],
    })
    assert.match(second.choices[0]!.message.content!, /TZS 90,000/)
  })

  test('thinks when asked to, and not when told to leave it', async () => {
    const thoughts = async (path: string, more: object) => {
      const input =
        path === '/responses' ? { input: 'Habari' } : { messages: ask('Habari').messages }
      const body = { model: 'sim/hekima', max_tokens: 99, ...input, ...more }
      const answer = JSON.stringify(await (await post(path, body)).json())
      return /"type":"(reasoning|thinking)|"reasoning":"The/.test(answer)
    }
    const [chat, own, other] = ['/chat/completions', '/responses', '/messages'] as const
    assert.ok(await thoughts(chat, { reasoning_effort: 'low' }))
    assert.ok(await thoughts(own, { reasoning: { effort: 'low' } }))
    assert.ok(await thoughts(other, { thinking: { type: 'adaptive' } }))
    assert.ok(!(await thoughts(chat, { reasoning_effort: 'none' })))
    assert.ok(!(await thoughts(chat, { reasoning: { enabled: false } })))
    assert.ok(!(await thoughts(own, { reasoning: { effort: 'none' } })))
    assert.ok(!(await thoughts(other, { thinking: { type: 'disabled' } })))
  })

  test('calls in Responses say what is called, with input of the kind of the tool', async () => {
    const tools = [
      { type: 'function', name: 'ita', parameters: null },
      { type: 'custom', name: 'andika' },
    ]
    const body = { model: 'sim/hekima', input: 'ita, andika', tools, stream: true }
    const events = (await (await post('/responses', body)).text())
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as Json)
    const of = (type: string) => events.find((event) => event.type === `response.${type}`)!
    const { name, arguments: args } = of('function_call_arguments.done')
    assert.deepEqual([name, args], ['ita', '{}'])
    assert.equal(of('custom_tool_call_input.done').input, 'ita, andika')
  })

  test('honours max_tokens, JSON schemas and pictures', async () => {
    const short = await client.chat.completions.create({ ...ask('Tell me all'), max_tokens: 3 })
    assert.equal(short.choices[0]!.finish_reason, 'length')
    assert.ok(short.usage!.completion_tokens <= 3)
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const formed = await client.chat.completions.create({
      ...ask('I am Neema'),
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    })
    assert.deepEqual(JSON.parse(formed.choices[0]!.message.content!), { city: 'Neema' })
    const drawn = await client.chat.completions.create({
      ...ask('A door', 'sim/picha-mazungumzo'),
      modalities: ['image', 'text'] as never,
    })
    const [image] = (drawn.choices[0]!.message as unknown as Json).images
    assert.match(image.image_url.url, /^data:image\/png;base64,iVBOR/)
  })

  test('refuses a part that the model cannot take, and an unknown model', async () => {
    const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }]
    const blind = await post('/chat/completions', {
      model: 'sim/hekima',
      messages: [{ role: 'user', content }],
    })
    assert.equal(blind.status, 404)
    assert.equal((await post('/chat/completions', ask('x', 'sim/nobody'))).status, 400)
    assert.equal((await post('/chat/completions', ask('x', 'sim/vekta'))).status, 404)
  })
})

describe('the other modalities', () => {
  test('embeddings are deterministic, alike for like texts, the same in both encodings', async () => {
    const input = ['bei ya mahindi sokoni', 'bei ya mahindi leo sokoni', 'the engine of a lorry']
    const make = (encoding_format: 'float' | 'base64') =>
      client.embeddings.create({ model: 'sim/vekta', input, encoding_format })
    const [a, b] = await Promise.all([make('float'), make('base64')])
    const [one, two, three] = a.data.map((each) => each.embedding)
    assert.ok(dot(one!, two!) > 0.7 && dot(one!, three!) < 0.4)
    const packed = Buffer.from(b.data[0]!.embedding as unknown as string, 'base64')
    assert.equal(packed.readFloatLE(0), one![0])
    const small = await client.embeddings.create({ model: 'sim/vekta', input: 'x', dimensions: 8 })
    assert.equal(small.data[0]!.embedding.length, 8)
  })

  test('images are real PNGs, charged by the image', async () => {
    const response = await post('/images', { model: 'sim/picha', prompt: 'mlango', n: 2 })
    const { data, usage } = (await response.json()) as Json
    assert.equal(data.length, 2)
    assert.notEqual(data[0].b64_json, data[1].b64_json)
    assert.equal(mediaType(Buffer.from(data[0].b64_json, 'base64')), 'image/png')
    assert.equal(usage.cost, 0.08)
  })

  test('speech is real sound, and what was spoken can be heard again', async () => {
    const spoken = await client.audio.speech.create({
      model: 'sim/sema',
      input: 'Karibu Tanzania, bei ni TZS 5,000',
      voice: 'asha',
      response_format: 'mp3',
    })
    const bytes = Buffer.from(await spoken.arrayBuffer())
    const { format } = await parseBuffer(bytes, 'audio/mpeg', { duration: true })
    assert.equal(format.codec, 'MPEG 2 Layer 3')
    assert.ok(Math.abs(format.duration! - 33 / 15) < 0.1, `${format.duration}`)
    const transcript = await client.audio.transcriptions.create({
      model: 'sim/sikia',
      file: await toFile(bytes, 'a.mp3'),
    })
    assert.equal(transcript.text, 'Karibu Tanzania, bei ni TZS 5,000')
    const raw = await post('/audio/speech', { model: 'sim/sema', input: 'Habari', voice: 'juma' })
    assert.equal(raw.headers.get('content-type'), 'audio/pcm')
    assert.ok(raw.headers.get('x-generation-id'))
    const mute = await post('/audio/speech', { model: 'sim/sema', input: 'x', voice: 'nobody' })
    assert.equal(mute.status, 400)
  })

  test('transcription takes base64 and reports its cost by the second', async () => {
    const audio = wav('Naomba maji')
    const { format } = await parseBuffer(audio, 'audio/wav', { duration: true })
    assert.ok(format.duration! > 0.4)
    const response = await post('/audio/transcriptions', {
      model: 'sim/sikia',
      input_audio: { data: audio.toString('base64'), format: 'wav' },
      response_format: 'verbose_json',
    })
    const { text, usage, language, segments } = (await response.json()) as Json
    assert.deepEqual([text, language, segments.length], ['Naomba maji', 'swahili', 1])
    const { seek, tokens, temperature, compression_ratio: ratio } = segments[0]
    assert.deepEqual([seek, temperature, typeof ratio, tokens.length > 0], [0, 0, 'number', true])
    assert.equal(usage.cost.toFixed(9), (usage.seconds * 0.0001).toFixed(9))
  })

  test('a video is submitted, polled and downloaded in parts', async () => {
    const order = { model: 'sim/filamu', prompt: 'Mlango unafunguka', duration: 4 }
    const key = { 'idempotency-key': 'job-1' }
    const submitted = await post('/videos', order, key)
    assert.equal(submitted.status, 202)
    const job = (await submitted.json()) as Json
    const again = (await (await post('/videos', order, key)).json()) as Json
    assert.equal(again.id, job.id)
    assert.equal(sim.log.count({ route: '/videos', idempotencyKey: 'job-1' }), 2)
    assert.equal((await get(`/videos/${job.id}`)).status, 'in_progress')
    const done = await eventually('the job is done', async () => {
      const found = await get(`/videos/${job.id}`)
      return found.status !== 'in_progress' && found
    })
    assert.deepEqual([done.status, done.usage.cost], ['completed', 0.4])
    const whole = await fetch(`${sim.url}/videos/${job.id}/content`, { headers: headers() })
    const film = Buffer.from(await whole.arrayBuffer())
    assert.equal(mediaType(film), 'video/mp4')
    const part = await fetch(`${sim.url}/videos/${job.id}/content`, {
      headers: { ...headers(), range: 'bytes=10-19' },
    })
    assert.equal(part.status, 206)
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), film.subarray(10, 20))
    const past = { ...headers(), range: 'bytes=999999-' }
    const none = await fetch(`${sim.url}/videos/${job.id}/content`, { headers: past })
    assert.equal(none.status, 416)
  })
})

function dot(a: number[], b: number[]): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0)
}
