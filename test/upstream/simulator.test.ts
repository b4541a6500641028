import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startModelSimulator } from '../../simulator/models/server.ts'
import { wav } from '../../simulator/models/sound.ts'
import { Failure } from '../../src/lib/failure.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { UsageReading } from '../../src/upstream/contract/usage.ts'
import { readUpstreams } from '../../src/upstream/upstreams-file.ts'
import { openUpstreams } from '../../src/upstream/upstreams.ts'
import { itemsOf } from './sources.ts'
import { eventually } from '../support/eventually.ts'

const simulator = await startModelSimulator()
const upstreams = openUpstreams({
  upstreams: readUpstreams(
    { upstreams: [{ name: 'sim', type: 'openrouter', base_url: simulator.url, api_key_env: 'K' }] },
    { K: simulator.apiKey },
  ),
  log: silentLog,
})
after(async () => {
  await upstreams.close()
  await simulator.close()
})

const to = (model: string) => [{ upstream: 'sim', model }]
const costOf = (usage: UsageReading) => {
  assert.ok(usage.kind === 'reported', usage.kind)
  return Number(usage.usage.costUsd)
}
const request = (stream: boolean) => ({
  body: { messages: [{ role: 'user', content: 'Habari ya leo?' }] },
  stream,
  ours: { id: 'chatcmpl-1', model: 'm', created: 1 },
})

describe('every capability, over the wire', () => {
  it('chat, whole and in pieces', async () => {
    const whole = await upstreams.call(to('sim/hekima'), 'chat', request(false))
    assert.ok(whole.text.length > 0)
    assert.ok(costOf(whole.usage) > 0)
    const result = await upstreams.call(to('sim/hekima'), 'chatStream', request(true))
    let text = ''
    for await (const batch of itemsOf(result)) {
      for (const chunk of batch) text += JSON.parse(chunk).choices[0].delta.content ?? ''
    }
    assert.ok(text.length > 0)
    assert.equal(result.finishReason, 'stop')
    assert.ok(costOf(result.usage) > 0)
    assert.ok(result.outputBytes >= Buffer.byteLength(text))
  })

  it('embeddings', async () => {
    const result = await upstreams.call(to('sim/vekta'), 'embeddings', {
      body: { input: ['mlango', 'dirisha'] },
      inputs: 2,
    })
    assert.deepEqual(
      result.vectors.map(({ length }) => length),
      [384, 384],
    )
    assert.ok(costOf(result.usage) >= 0)
  })

  it('speech and transcription', async () => {
    const spoken = await upstreams.call(to('sim/sema'), 'speech', {
      input: 'Karibu sana',
      voice: 'asha',
      responseFormat: 'mp3',
      maxBytes: 1_000_000,
    })
    assert.equal(spoken.mediaType, 'audio/mpeg')
    assert.ok(spoken.audio.length > 100)
    const transcript = await upstreams.call(to('sim/sikia'), 'transcription', {
      audio: Buffer.from(wav('Karibu sana')),
      format: 'wav',
      language: 'sw',
      responseFormat: 'json',
    })
    assert.match(transcript.text, /Karibu/)
    assert.ok(costOf(transcript.usage) > 0)
    const failure = await upstreams
      .call(to('sim/sema'), 'speech', {
        input: 'Karibu sana',
        voice: 'asha',
        responseFormat: 'mp3',
        maxBytes: 50,
      })
      .catch((error: unknown) => error)
    assert.ok(failure instanceof Failure && failure.kind === 'too_large')
  })

  it('images', async () => {
    const result = await upstreams.call(to('sim/picha'), 'image', {
      prompt: 'mlango wa mbao',
      n: 2,
      extra: { size: '1024x1024' },
    })
    assert.equal(result.images.length, 2)
    assert.equal(Buffer.from(result.images[0]!.b64Json, 'base64').subarray(1, 4).toString(), 'PNG')
    assert.ok(costOf(result.usage) > 0)
  })

  it('videos, from the start to the bytes, and an unknown job', async () => {
    const start = await upstreams.call(to('sim/filamu'), 'videoStart', {
      prompt: 'mlango unafunguka',
      extra: { duration: 4 },
      idempotencyKey: 'video-1',
    })
    const { jobId } = start
    const status = await eventually('the video is made', async () => {
      const found = await upstreams.call(to('sim/filamu'), 'videoStatus', { jobId })
      return found.status !== 'processing' && found
    })
    assert.equal(status.status, 'completed')
    assert.ok(costOf(status.usage) > 0)
    const result = await upstreams.call(to('sim/filamu'), 'videoContent', { jobId })
    const parts: Buffer[] = []
    for await (const part of itemsOf(result.bytes)) parts.push(part)
    const bytes = Buffer.concat(parts)
    assert.equal(bytes.subarray(4, 8).toString(), 'ftyp')
    assert.equal(result.contentLength, bytes.length)
    const gone = await upstreams
      .call(to('sim/filamu'), 'videoStatus', { jobId: 'nobody' })
      .catch((error: unknown) => error)
    assert.ok(gone instanceof Failure && gone.kind === 'gone')
  })

  it('the catalog, with a price for everything that is for sale', async () => {
    const { records, skipped } = await upstreams.catalog('sim')
    assert.equal(skipped, 0)
    const verdict = Object.fromEntries(
      records.map(({ id, priced, priceBasis }) => [id, `${priced} ${priceBasis}`]),
    )
    assert.equal(verdict['sim/hekima'], 'paid token')
    assert.equal(verdict['sim/hekima-mini:free'], 'free token')
    assert.equal(verdict['sim/sikia'], 'paid second')
    assert.equal(verdict['sim/sema'], 'paid character')
    assert.equal(verdict['sim/filamu-senti'], 'paid video_second')
    assert.equal(verdict['sim/otomatiki'], 'unpriced unknown')
    assert.match(verdict['sim/picha']!, /^paid (image|megapixel)$/)
  })

  it('probes, and notices when no server is there', async () => {
    await upstreams.probe()
    assert.deepEqual(upstreams.health(), {
      healthy: true,
      upstreams_total: 1,
      upstreams_healthy: 1,
    })
    await simulator.down()
    for (let i = 0; i < 3; i += 1) await upstreams.probe()
    assert.deepEqual(
      [upstreams.health().healthy, upstreams.problems().map(({ why }) => why)],
      [false, ['unreachable']],
    )
    await simulator.up()
    await upstreams.probe()
    assert.equal(upstreams.health().healthy, true)
  })
})
