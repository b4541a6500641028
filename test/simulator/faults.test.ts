import assert from 'node:assert/strict'
import { request } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { FAULTS } from '../../simulator/models/faults/faults.ts'
import { startModelSimulator } from '../../simulator/models/server.ts'
import type { ModelSimulator } from '../../simulator/models/server.ts'
import type { Loose } from '../support/loose.ts'

let sim: ModelSimulator
before(async () => {
  sim = await startModelSimulator({ faults: true, latency: { videoMs: 0 } })
})
after(() => sim.close())

type Seen = {
  status: number | undefined
  headers: Record<string, unknown>
  text: string
  /** `complete` only when the answer came to its proper end. */
  end: 'complete' | 'cut' | 'waiting'
}

/** Reads an answer as far as it comes within the time, whatever happens to it. */
function see(body: object, options: { path?: string; fault?: string; waitMs?: number } = {}) {
  return new Promise<Seen>((done) => {
    const seen: Seen = { status: undefined, headers: {}, text: '', end: 'waiting' }
    const call = request(sim.url + (options.path ?? '/chat/completions'), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sim.apiKey}`,
        'content-type': 'application/json',
        ...(options.fault ? { 'x-sim-fault': options.fault } : {}),
      },
    })
    const finish = (end: Seen['end']) => {
      clearTimeout(timer)
      call.destroy()
      done({ ...seen, end })
    }
    const timer = setTimeout(finish, options.waitMs ?? 400, 'waiting')
    call.on('error', () => finish('cut'))
    call.on('response', (res) => {
      seen.status = res.statusCode
      seen.headers = res.headers
      res.on('data', (piece: Buffer) => {
        seen.text += piece.toString('latin1', 0, 2_000)
        if (seen.text.length > 200_000) finish('waiting')
      })
      res.on('error', () => finish('cut'))
      res.on('end', () => finish(res.complete ? 'complete' : 'cut'))
    })
    call.end(JSON.stringify(body))
  })
}

const say = (fault: string, stream = false) => ({
  model: `sim/fault-${fault}`,
  stream,
  messages: [{ role: 'user', content: 'Habari' }],
})

test('every named fault is listed as a model, and every listed one disturbs an answer', async () => {
  const listed = [...sim.models.keys()]
  for (const name of Object.keys(FAULTS)) {
    assert.ok(
      listed.some((id) => id.endsWith(`fault-${name}`)),
      name,
    )
  }
})

const statuses: [string, number][] = [
  ['status-400', 400],
  ['status-401', 401],
  ['status-402', 402],
  ['status-529', 529],
  ['429', 429],
  ['context-length', 400],
  ['moderation', 403],
  ['redirect', 302],
]
for (const [fault, status] of statuses) {
  test(`${fault} answers ${status}`, async () => {
    assert.equal((await see(say(fault), { waitMs: 5_000 })).status, status)
  })
}

test('Retry-After comes as a number, a date, a negative and a huge one, or not at all', async () => {
  const value = async (fault: string) => (await see(say(fault))).headers['retry-after']
  assert.equal(await value('429-7'), '7')
  assert.equal(await value('429-minus'), '-1')
  assert.equal(await value('429-huge'), '9999999999')
  assert.match(String(await value('429-date')), /GMT$/)
  assert.equal(await value('429'), undefined)
})

const cut: [string, boolean][] = [
  ['drop', false],
  ['reset', false],
  ['reset', true],
  ['short-length', false],
  ['short-length', true],
]
for (const [fault, stream] of cut) {
  test(`${fault} cuts ${stream ? 'a stream' : 'an answer'}`, async () => {
    const seen = await see(say(fault, stream))
    assert.equal(seen.end, 'cut')
    if (stream) assert.ok(seen.text.includes('chat.completion.chunk'))
  })
}

test('hang gives nothing, silent the headers, stall a part', async () => {
  const [hang, silent, stall] = await Promise.all([
    see(say('hang')),
    see(say('silent')),
    see(say('stall', true)),
  ])
  assert.deepEqual([hang.status, hang.end], [undefined, 'waiting'])
  assert.deepEqual([silent.status, silent.text, silent.end], [200, '', 'waiting'])
  assert.ok(stall.end === 'waiting' && stall.text.includes('"delta"'))
  const left = await sim.log.until({ model: 'sim/fault-hang', outcome: 'left' })
  assert.equal(left.status, undefined)
})

const bodies: [string, (seen: Seen) => boolean][] = [
  ['html', (seen) => seen.text.startsWith('<html>')],
  ['empty', (seen) => seen.text === ''],
  ['bad-json', (seen) => throws(() => JSON.parse(seen.text))],
  ['other-shape', (seen) => !Array.isArray(JSON.parse(seen.text).choices)],
  ['no-choices', (seen) => JSON.parse(seen.text).choices === undefined],
  ['bad-utf8', (seen) => Buffer.from(seen.text, 'latin1').includes(0xff)],
  ['200-error', (seen) => JSON.parse(seen.text).error.code === 500],
  ['finish-error', (seen) => JSON.parse(seen.text).choices[0].finish_reason === 'error'],
  ['newlines', (seen) => seen.text.startsWith('\n')],
  ['gzip-truncated', (seen) => seen.headers['content-encoding'] === 'gzip'],
  ['gzip-chain', (seen) => String(seen.headers['content-encoding']).length > 10_000],
  ['usage-missing', (seen) => usage(seen) === undefined],
  ['usage-zero', (seen) => usage(seen).total_tokens === 0],
  ['usage-negative', (seen) => usage(seen).prompt_tokens === -5],
  ['usage-nan', (seen) => usage(seen).prompt_tokens === 'NaN'],
  ['usage-string', (seen) => usage(seen).cost === 'twelve'],
  ['usage-huge', (seen) => usage(seen).completion_tokens === 1e308],
  ['usage-mismatch', (seen) => usage(seen).total_tokens === 999_999],
  ['cost-negative', (seen) => usage(seen).cost === -1],
  ['cost-null', (seen) => usage(seen).cost === null],
]
for (const [fault, holds] of bodies) {
  test(`${fault}: 200, but not as it should be`, async () => {
    const seen = await see(say(fault))
    assert.equal(seen.status, 200)
    assert.ok(holds(seen), seen.text.slice(0, 200))
  })
}

test('streams end early, in the middle, with an error, or never', async () => {
  const seen = async (fault: string) => see(say(fault, true))
  const [cutOff, noDone, error, usageEarly] = await Promise.all(
    ['cut', 'no-done', 'stream-error', 'usage-with-choices'].map(seen),
  )
  assert.ok(!cutOff!.text.includes('[DONE]') && !cutOff!.text.endsWith('\n\n'))
  assert.ok(!noDone!.text.includes('[DONE]') && noDone!.end === 'complete')
  assert.ok(error!.text.includes('"error":{"code":502'))
  assert.ok(/"finish_reason":"stop".*"usage"/.test(usageEarly!.text))
  const [endless, comments] = await Promise.all(['endless', 'comments-20'].map(seen))
  assert.ok(endless!.end === 'waiting' && endless!.text.includes('neno'))
  assert.ok(comments!.end === 'waiting' && !comments!.text.includes('data:'))
})

test('too much: bodies, headers, chunks and lines', async () => {
  const [body, header, chunks, line, fast] = await Promise.all([
    see(say('huge-body'), { waitMs: 2_000 }),
    see(say('huge-header'), { waitMs: 2_000 }),
    see(say('tiny-chunks'), { waitMs: 2_000 }),
    see(say('long-line', true), { waitMs: 2_000 }),
    see(say('fast', true), { waitMs: 2_000 }),
  ])
  assert.ok(body.text.length > 100_000)
  assert.equal(header.end, 'cut')
  assert.ok(chunks.text.startsWith('{"x":" '))
  assert.ok(line.text.startsWith('data: xxxx'))
  assert.ok(fast.text.length > 100_000)
})

test('unrequested bytes: a second response, floods of interim responses', async () => {
  const raw = async (fault: string) => {
    const body = JSON.stringify(say(fault))
    const socket = connect(Number(new URL(sim.url).port), '127.0.0.1')
    socket.write(
      `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${sim.apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    let text = ''
    socket.on('data', (piece) => {
      text += piece.toString('latin1')
    })
    await new Promise((done) => setTimeout(done, 300))
    socket.destroy()
    return (start: string) => text.split(start).length - 1
  }
  const [extra, storm, hints] = await Promise.all([
    raw('extra-response'),
    raw('continue-storm'),
    raw('informational-flood'),
  ])
  assert.equal(extra('HTTP/1.1 200 OK'), 2)
  assert.equal(storm('HTTP/1.1 100 Continue'), 10_000)
  assert.equal(hints('HTTP/1.1 103 Early Hints'), 10_000)
})

test('flap breaks every second time; late comes late', async () => {
  const first = await see(say('flap'))
  const second = await see(say('flap'))
  assert.deepEqual([first.status, second.status], [200, 500])
  const early = await see(say('late-300'), { waitMs: 100 })
  const patient = await see(say('late-300'), { waitMs: 1_000 })
  assert.deepEqual([early.status, patient.status], [undefined, 200])
})

test('a header or a planned fault breaks a normal model; heal() ends it', async () => {
  const honest = { ...say(''), model: 'sim/hekima' }
  assert.equal((await see(honest, { fault: 'status-503' })).status, 503)
  sim.fail({ fault: 'status-500', times: 2, route: '/chat/completions' })
  const seen = [await see(honest), await see(honest), await see(honest)]
  assert.deepEqual(
    seen.map((each) => each.status),
    [500, 500, 200],
  )
  sim.fail({ fault: 'status-500', times: Infinity })
  assert.equal((await see(honest)).status, 500)
  sim.heal()
  assert.equal((await see(honest)).status, 200)
})

test('other modalities break by their ids, listed or not', async () => {
  const speech = { model: 'sim/speech-fault-reset', input: 'Habari', voice: 'asha' }
  assert.equal((await see(speech, { path: '/audio/speech' })).end, 'cut')
  const vectors = { model: 'sim/embeddings-fault-bad-vectors', input: ['a', 'b', 'c'] }
  const seen = await see(vectors, { path: '/embeddings' })
  assert.equal(JSON.parse(seen.text).data.length, 2)
  const image = { model: 'sim/image-fault-status-418', prompt: 'x' }
  assert.equal((await see(image, { path: '/images' })).status, 418)
})

const polls: [string, (job: Loose) => boolean][] = [
  ['video-unknown', (job) => job.status === 'daydreaming'],
  ['video-no-url', (job) => job.status === 'completed' && job.unsigned_urls === undefined],
  ['video-cents', (job) => job.usage.cost === 40],
  ['video-no-usage', (job) => job.status === 'completed' && job.usage === undefined],
  ['video-failed', (job) => job.error === 'Content policy violation'],
  ['video-cancelled', (job) => job.status === 'cancelled'],
  ['video-expired', (job) => job.status === 'expired'],
  ['video-forgotten', (job) => job.error.code === 404],
  ['video-poll-500', (job) => job.error.code === 500],
  ['video-forever', (job) => job.status === 'in_progress'],
  ['cost-negative', (job) => job.usage.cost === -1],
]
for (const [fault, holds] of polls) {
  test(`${fault} shows when polled`, async () => {
    const order = { model: `sim/video-fault-${fault}`, prompt: 'mlango', duration: 4 }
    const { id } = JSON.parse((await see(order, { path: '/videos' })).text)
    const response = await fetch(`${sim.url}/videos/${id}`, {
      headers: { authorization: `Bearer ${sim.apiKey}` },
    })
    const job = await response.json()
    assert.ok(holds(job), JSON.stringify(job))
  })
}

test('down() refuses connections, up() accepts them again', async () => {
  await sim.down()
  assert.equal((await see({ ...say(''), model: 'sim/hekima' })).end, 'cut')
  await sim.up()
  assert.equal((await see({ ...say(''), model: 'sim/hekima' })).status, 200)
})

const usage = (seen: Seen) => JSON.parse(seen.text).usage
function throws(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch {
    return true
  }
}
