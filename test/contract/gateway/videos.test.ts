import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { FILM } from '../../../simulator/models/film.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import type { Loose } from '../../support/loose.ts'
import { startApp } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Customer = Awaited<ReturnType<App['customer']>>
let app: App
let asha: Customer
let juma: Customer
/** Begun together at the start, since each takes a few seconds. */
const jobs: Record<string, string> = {}

const wish = (more: object = {}) => ({
  model: 'sim/filamu',
  prompt: 'Simba anakimbia savana',
  duration: 4,
  resolution: '720p',
  ...more,
})
const submit = (body: unknown, headers: Record<string, string> = {}, token = asha.key) =>
  app.call('POST /v1/videos', { token, body, headers })
const poll = (id: string, token = asha.key) => app.call(`GET /v1/videos/${id}`, { token })
const content = (id: string, headers: Record<string, string> = {}, token = asha.key) =>
  fetch(`${app.url}/v1/videos/${id}/content`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })

async function ended(id: string, token = asha.key): Promise<Loose> {
  return eventually('the job ends', async () => {
    const { body } = await poll(id, token)
    return !['pending', 'processing'].includes(body.data.status) && body.data
  })
}

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 1_500, idle_ms: 1_500 } } })
  asha = await app.customer('100000')
  juma = await app.customer('1')
  const faults = ['failed', 'cancelled', 'forgotten', 'no-usage', 'gone', 'content-500', 'forever']
  for (const name of faults) {
    const answer = await submit(wish({ model: `sim/video-fault-video-${name}` }))
    assert.equal(answer.status, 202)
    jobs[name] = answer.body.data.job_id
  }
  jobs.good = (await submit(wish())).body.data.job_id
})
after(() => app.close())

test('202: accepted with its hold, in the envelope', async () => {
  const before = (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
  const answer = await submit(wish({ model: 'sim/filamu-senti', duration: 5, style: 'katuni' }))
  assert.equal(answer.status, 202)
  const { status, code, data, request_id: requestId } = answer.body
  assert.deepEqual([status, code], ['success', 202])
  assert.deepEqual(Object.keys(data), ['job_id', 'status', 'created_at'])
  assert.equal(data.status, 'pending')
  assert.match(data.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(answer.headers.get('x-request-id'), requestId)
  const now = (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data
  assert.ok(now.available_credits < before.available_credits)
  // 5 s at 9 cents for 720p, the price that fits; charged as reported.
  assert.equal((await ended(data.job_id)).usage.cost_credits, 1_350)
  const [sent] = app.models.log.find({ route: '/videos', idempotencyKey: data.job_id })
  assert.equal((sent!.body as Loose).style, 'katuni')
})

test('202 again: the same key gives the same job, bytes and all, and holds once', async () => {
  const headers = { 'idempotency-key': 'filamu ya kwanza' }
  const answers = await Promise.all(Array.from({ length: 8 }, () => submit(wish(), headers)))
  const good = answers.filter(({ status }) => status === 202)
  assert.ok(good.length >= 1)
  for (const { status, body } of answers) {
    if (status !== 202) assert.equal(body.error_code, 'idempotency_conflict')
  }
  const again = await submit(wish({ prompt: 'another' }), headers)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(again.body, good[0]!.body)
  const id = again.body.data.job_id
  const [row] = await app.db.query(`select count(*) as n from video_jobs where request_id = $1`, [
    again.body.request_id,
  ])
  assert.equal(row!.n, 1n)
  assert.equal((await ended(id)).status, 'completed')
  assert.equal(app.models.log.count({ route: '/videos', idempotencyKey: id }), 1)
})

test('200: completed with its cost; failed, cancelled and expired with a reason and no cost', async () => {
  const good = await ended(jobs.good!)
  assert.equal(good.status, 'completed')
  assert.deepEqual(good.usage, { cost_credits: 1_200 })
  assert.equal(good.error, undefined)
  assert.equal(good.model, 'sim/filamu')
  const reasons = [
    ['failed', 'failed', 'content_policy_violation'],
    ['cancelled', 'cancelled', 'cancelled'],
    ['forgotten', 'expired', 'expired'],
  ] as const
  for (const [name, status, code] of reasons) {
    const job = await ended(jobs[name]!)
    assert.equal(job.status, status)
    assert.equal(job.error.code, code)
    assert.equal(typeof job.error.message, 'string')
    assert.equal(job.usage, undefined)
  }
  assert.equal((await ended(jobs['no-usage']!)).usage.cost_credits, 1_200)
  const records = (await app.call('GET /v1/activity?limit=200', { token: asha.token })).body.data
  const record = records.find((one: Loose) => one.id === jobs.good)
  assert.equal(record.kind, 'video')
  assert.equal(record.cost_credits, 1_200)
  const notes = (await app.call('GET /v1/notifications?limit=200', { token: asha.token })).body.data
  const notices = notes.filter((one: Loose) => one.data?.video_id === jobs.failed)
  assert.deepEqual(
    notices.map((one: Loose) => one.type),
    ['video.failed'],
  )
})

test('content 200: the video itself, never stored, and it can be played', async () => {
  await ended(jobs.good!)
  const answer = await content(jobs.good!)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'video/mp4')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.match(answer.headers.get('x-request-id')!, /^req_/)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.deepEqual(bytes, FILM)
  probe(bytes)
})

test('400: what the model does not make; what it makes is published with it', async () => {
  const shown = (await app.call('GET /v1/models/sim/filamu', { token: asha.key })).body.data
  assert.deepEqual(shown.supported_durations, [4, 6, 8])
  assert.deepEqual(shown.supported_resolutions, ['720p', '1080p'])
  assert.deepEqual(shown.supported_aspect_ratios, ['16:9', '9:16'])
  assert.equal(shown.supported_sizes, undefined)
  const wrong: [object, string, RegExp][] = [
    [{ duration: 5 }, 'duration', /duration must be one of 4, 6, 8 for/],
    [{ duration: undefined, seconds: '5' }, 'seconds', /seconds must be one of 4, 6, 8 for/],
    [{ resolution: '480p' }, 'resolution', /resolution must be one of 720p, 1080p for/],
    [{ aspect_ratio: '1:1' }, 'aspect_ratio', /aspect_ratio must be one of 16:9, 9:16 for/],
  ]
  for (const [fields, param, message] of wrong) {
    const { status, body } = await submit(wish(fields))
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(body.error.param, param)
    assert.match(body.message, message)
  }
})

test('seed and all else pass as they are, of any type', async () => {
  for (const seed of [7, '7', 0.5, ['a'], { b: null }]) {
    app.models.log.clear()
    const { status, body } = await submit(
      wish({ seed, mood: { calm: [true] }, resolution: '720P' }),
    )
    assert.equal(status, 202, JSON.stringify(seed))
    const sent = await eventually(
      'it is submitted',
      () => app.models.log.find({ route: '/videos' })[0],
    )
    const { seed: passed, mood, resolution } = sent.body as Loose
    assert.deepEqual([passed, mood, resolution], [seed, { calm: [true] }, '720P'])
    await ended(body.data.job_id)
  }
})

test('content HEAD: the headers of GET, its length too', async () => {
  await ended(jobs.good!)
  for (const range of [undefined, 'bytes=4-7']) {
    const headers: Record<string, string> = {
      authorization: `Bearer ${asha.key}`,
      ...(range && { range }),
    }
    const url = `${app.url}/v1/videos/${jobs.good!}/content`
    const whole = await fetch(url, { headers })
    const head = await fetch(url, { method: 'HEAD', headers })
    assert.equal(head.status, whole.status)
    for (const name of ['content-length', 'content-type', 'content-range', 'accept-ranges']) {
      assert.equal(head.headers.get(name), whole.headers.get(name), name)
    }
    assert.equal(head.headers.get('content-length'), range ? '4' : String(FILM.length))
    assert.equal((await whole.arrayBuffer()).byteLength, Number(head.headers.get('content-length')))
  }
})

test('content 206: a range is passed on; a bad one gives the whole video', async () => {
  await ended(jobs.good!)
  const part = await content(jobs.good!, { range: 'bytes=4-7' })
  assert.equal(part.status, 206)
  assert.equal(part.headers.get('content-range'), `bytes 4-7/${FILM.length}`)
  assert.equal(await part.text(), 'ftyp')
  for (const range of ['bytes=99999999-', 'bytes=1-2,4-5', 'lines=1-2', 'bytes=-']) {
    const whole = await content(jobs.good!, { range })
    assert.equal(whole.status, 200, range)
    assert.equal((await whole.arrayBuffer()).byteLength, FILM.length)
  }
})

test('content 409 before the job ends, 410 when expired or never made, 502 when the upstream breaks', async () => {
  const early = await content(jobs.forever!)
  assert.equal(early.status, 409)
  assert.equal(((await early.json()) as Loose).error_code, 'conflict')
  for (const name of ['gone', 'failed']) {
    await ended(jobs[name]!)
    const lapsed = await content(jobs[name]!)
    assert.equal(lapsed.status, 410)
    const body = (await lapsed.json()) as Loose
    assert.equal(body.error_code, 'gone')
    assert.equal(typeof body.error.message, 'string')
  }
  await ended(jobs['content-500']!)
  const broken = await content(jobs['content-500']!)
  assert.equal(broken.status, 502)
  assert.equal(((await broken.json()) as Loose).error_code, 'server_error')
  await ended(jobs.good!)
  const route = '/videos/{id}/content'
  for (const fault of ['html', 'redirect', 'drop', 'hang', 'empty']) {
    app.models.fail({ fault, route, times: 1 })
    const answer = await content(jobs.good!)
    assert.equal(answer.status, 502, fault)
    assert.doesNotMatch(await answer.text(), /simulator|127\.0\.0\.1|sim-key/i)
  }
})

test('202: fields that say the same twice; 400: a moment, to pay for less than a film', async () => {
  const thief = await app.customer('1201')
  const agreeing = { duration: 4, seconds: '4', resolution: '720p', size: '720x1280' }
  const job = await submit(wish(agreeing), {}, thief.key)
  assert.equal(job.status, 202)
  const moment = await submit(wish({ duration: 0.001 }), {}, thief.key)
  assert.equal(moment.status, 400)
  await ended(job.body.data.job_id, thief.key)
})

test('400: the message names what is missing or wrong', async () => {
  const bad: [object, string, string][] = [
    [{ prompt: 'x' }, 'model', 'validation_error'],
    [wish({ prompt: undefined }), 'prompt', 'validation_error'],
    [wish({ prompt: '' }), 'prompt', 'validation_error'],
    [wish({ prompt: 'x'.repeat(200_000) }), 'prompt', 'validation_error'],
    [wish({ duration: -1 }), 'duration', 'validation_error'],
    [wish({ duration: 'NaN' }), 'duration', 'validation_error'],
    [wish({ generate_audio: 'yes' }), 'generate_audio', 'validation_error'],
    [wish({ stream: true }), 'stream', 'validation_error'],
    [wish({ n: 4 }), 'n', 'validation_error'],
    [wish({ duration: 1, seconds: 60 }), 'seconds', 'validation_error'],
    [wish({ seconds: '60' }), 'seconds', 'validation_error'],
    [wish({ duration: undefined, seconds: '0x3C' }), 'seconds', 'validation_error'],
    [wish({ duration: undefined, seconds: '9999' }), 'seconds', 'validation_error'],
    [wish({ resolution: '480p', size: '3840x2160' }), 'size', 'validation_error'],
    [wish({ resolution: '4K', size: '640x480' }), 'size', 'validation_error'],
    [wish({ size: 'large' }), 'size', 'validation_error'],
    [wish({ model: 'sim/hekima' }), 'model', 'invalid_request_error'],
    [wish({ model: 'sim/filamu-senti', frame_images: [] }), 'model', 'invalid_request_error'],
    [
      wish({ frame_images: [{ image_url: { url: 'http://169.254.169.254/' } }] }),
      'frame_images[0].image_url.url',
      'validation_error',
    ],
  ]
  for (const [body, param, code] of bad) {
    const answer = await submit(body)
    assert.equal(answer.status, 400, JSON.stringify(answer.body))
    assert.equal(answer.body.error_code, code)
    assert.equal(answer.body.error.param, param)
  }
  const torn = await submit(wish({ duration: 1, seconds: 60 }))
  assert.match(torn.body.message, /seconds.*duration/)
  const split = await submit(wish({ resolution: '480p', size: '3840x2160' }))
  assert.match(split.body.message, /size.*resolution/)
  assert.equal((await submit('{"model":"sim/filamu","prompt":"x","duration":1e400}')).status, 400)
  const form = new FormData()
  form.set('model', 'sim/filamu')
  const posted = await fetch(`${app.url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${asha.key}` },
    body: form,
  })
  assert.equal(posted.status, 400)
})

test('401, 402, 404, 413 on submission', async () => {
  assert.equal((await submit(wish(), {}, 'mlg_no')).status, 401)
  const poor = await submit(wish(), {}, juma.key)
  assert.equal(poor.status, 402)
  assert.equal(poor.body.error_code, 'insufficient_credits')
  assert.equal(poor.body.error.code, 'insufficient_quota')
  const missing = await submit(wish({ model: 'sim/none' }))
  assert.equal(missing.status, 404)
  assert.equal(missing.body.error_code, 'not_found')
  assert.equal((await submit(wish({ filler: 'x'.repeat(5_000_000) }))).status, 413)
})

test('404: ids of other accounts, unknown and malformed ids look the same, and no upstream is called', async () => {
  await ended(jobs.good!)
  app.models.log.clear()
  const ids = [
    uuidv7(),
    jobs.good!.toUpperCase(),
    '..',
    '%2e%2e',
    'a%2Fb',
    "'or 1=1",
    'x'.repeat(90),
  ]
  const requests: [string, string][] = ids.map((id) => [id, asha.key])
  requests.push([jobs.good!, juma.key], [jobs.good!, juma.token])
  for (const [id, token] of requests) {
    for (const path of ['', '/content']) {
      const answer = await app.call(`GET /v1/videos/${id}${path}`, { token })
      assert.equal(answer.status, 404, id + path)
      assert.equal(answer.body.error_code, 'not_found')
    }
  }
  assert.equal(app.models.log.count({ route: '/videos/{id}/content' }), 0)
  assert.equal((await poll(jobs.good!, asha.token)).status, 200)
})

test('the ledger agrees when all jobs have ended', async () => {
  await app.db.query(`update video_jobs set deadline = now(), next_look_at = now() where id = $1`, [
    jobs.forever,
  ])
  assert.equal((await ended(jobs.forever!)).status, 'expired')
  await assertAgreement(app.db)
})

const PROBE = process.env.FFPROBE ?? 'ffprobe'

function probe(bytes: Buffer): void {
  const folder = mkdtempSync(join(tmpdir(), 'mlango-film-'))
  try {
    writeFileSync(join(folder, 'film.mp4'), bytes)
    const args = ['-v', 'error', '-show_entries', 'stream=codec_name', join(folder, 'film.mp4')]
    const ran = spawnSync(PROBE, args, { encoding: 'utf8' })
    // Not everywhere installed; where it is, it must be content.
    if (ran.error === undefined) assert.match(ran.stdout, /h264/)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('200: the jobs of the account, newest first, by page and by status; of no other account', async () => {
  await ended(jobs.failed!)
  const all = await app.call('GET /v1/videos?limit=200', { token: asha.token })
  assert.equal(all.status, 200)
  const ids = all.body.data.map((job: Loose) => job.job_id)
  for (const id of Object.values(jobs)) assert.ok(ids.includes(id), id)
  for (const [i, id] of ids.slice(1).entries()) assert.ok(id < ids[i], 'newest first')
  assert.equal(all.body.pagination.total, ids.length)
  const page = await app.call('GET /v1/videos?limit=2&offset=1', { token: asha.key })
  assert.deepEqual(
    page.body.data.map((job: Loose) => job.job_id),
    ids.slice(1, 3),
  )
  assert.equal(page.body.pagination.has_more, true)
  const failed = await app.call('GET /v1/videos?status=failed', { token: asha.key })
  assert.ok(failed.body.data.length > 0)
  for (const job of failed.body.data) assert.equal(job.status, 'failed')
  const one = failed.body.data.find((job: Loose) => job.job_id === jobs.failed)
  assert.deepEqual(one, (await poll(jobs.failed!)).body.data)
  assert.deepEqual((await app.call('GET /v1/videos', { token: juma.key })).body.data, [])
  for (const query of ['status=lost', 'limit=0', 'offset=x']) {
    assert.equal((await app.call(`GET /v1/videos?${query}`, { token: asha.key })).status, 400)
  }
  assert.equal((await app.call('GET /v1/videos')).status, 401)
})
