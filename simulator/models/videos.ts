import { randomBytes } from 'node:crypto'
import { generationId, sendJson } from './send.ts'
import type { Exchange, Json } from './exchange.ts'
import { splitFault } from './faults/faults.ts'
import { FILM } from './film.ts'
import { Refusal, refusalOf } from './faults/refusal.ts'
import type { SimulatedModel } from './simulated-models.ts'
import { applyUsageFault, usd } from './usage.ts'

export type VideoJob = {
  id: string
  generation: string
  model: SimulatedModel
  fault: string
  startedAt: number
  readyAt: number
  costUsd: number
  polls: number
}

export type VideoJobs = ReturnType<typeof openVideoJobs>

/** Jobs live as long as the simulator. The same idempotency key gives the same job. */
export function openVideoJobs() {
  const jobs = new Map<string, VideoJob>()
  const byKey = new Map<string, VideoJob>()
  const find = (exchange: Exchange): VideoJob => {
    const job = jobs.get(exchange.id)
    if (job === undefined) throw new Refusal(404, 'Job not found')
    return job
  }
  return {
    jobs,
    async submit(exchange: Exchange) {
      const key = exchange.entry.idempotencyKey
      const known = key === undefined ? undefined : byKey.get(key)
      const job = known ?? startJob(exchange)
      jobs.set(job.id, job)
      if (key !== undefined) byKey.set(key, job)
      const answer = { ...facts(exchange, job), status: 'pending' }
      await sendJson(exchange, answer, { status: 202 })
    },
    async poll(exchange: Exchange) {
      const job = find(exchange)
      job.polls++
      await sendJson(exchange, { ...facts(exchange, job), ...progress(exchange, job) })
    },
    content(exchange: Exchange) {
      const job = find(exchange)
      if (job.fault === 'video-gone') throw new Refusal(404, 'Video content is gone')
      if (job.fault === 'video-content-500') throw refusalOf('status', 500)!
      if (Date.now() < job.readyAt) throw new Refusal(400, 'Job is not completed')
      sendFilm(exchange)
    },
  }
}

function startJob(exchange: Exchange): VideoJob {
  const { body, fault = '' } = exchange
  const model = exchange.model!
  if (typeof body.prompt !== 'string' || body.prompt === '') {
    throw new Refusal(400, 'prompt must not be empty')
  }
  const seconds = Number(body.duration ?? model.durations?.[0] ?? 5)
  if (model.durations !== undefined && !model.durations.includes(seconds)) {
    throw new Refusal(400, `duration must be one of ${model.durations.join(', ')}`)
  }
  const now = Date.now()
  return {
    id: randomBytes(15).toString('base64url'),
    generation: generationId(),
    model,
    fault,
    startedAt: now,
    readyAt: now + exchange.latency.videoMs,
    costUsd: filmCost(model, seconds, body),
    polls: 0,
  }
}

/** The price of the SKU that fits sound and resolution best. */
function filmCost(model: SimulatedModel, seconds: number, body: Json): number {
  const requested = typeof body.resolution === 'string' ? body.resolution : undefined
  const resolution = (requested ?? model.resolutions?.[0] ?? '').toLowerCase()
  const sound = body.generate_audio === false ? '_without_audio' : '_with_audio'
  const skus = Object.entries(model.skus ?? {}).filter(([name]) => name.includes('second'))
  const fitting = skus.filter(([name]) => !/_with(out)?_audio/.test(name) || name.includes(sound))
  const exact = fitting.find(([name]) => name.endsWith(`_${resolution}`))
  const [name, price] = exact ?? fitting[0] ?? ['', '0']
  const inCents = name.startsWith('cents_')
  const floor = Number(model.skus?.minimum_cents_per_generation ?? 0) / 100
  return Math.max(floor, usd([[inCents ? seconds / 100 : seconds, price]]))
}

const facts = ({ origin }: Exchange, job: VideoJob): Json => ({
  id: job.id,
  generation_id: job.generation,
  polling_url: `${origin}/api/v1/videos/${job.id}`,
})

function progress(exchange: Exchange, job: VideoJob): Json {
  const { name } = splitFault(job.fault)
  const ended = ENDS[name]
  if (name === 'video-forgotten') throw new Refusal(404, 'Job not found')
  if (name === 'video-poll') throw refusalOf('status', 500)!
  if (name === 'video-unknown') return { status: 'daydreaming' }
  if (name === 'video-backwards') return { status: job.polls < 2 ? 'in_progress' : 'pending' }
  if (name === 'video-forever' || Date.now() < job.readyAt) return { status: 'in_progress' }
  if (ended !== undefined) return ended
  // The job's own fault falsifies what it reports; the fault of this poll damages the answer.
  const reporting = { ...exchange, fault: job.fault }
  const cost = name === 'video-cents' ? job.costUsd * 100 : job.costUsd
  const usage =
    name === 'video-no-usage' ? undefined : applyUsageFault(reporting, { cost, is_byok: false })
  const url = `${exchange.origin}/api/v1/videos/${job.id}/content?index=0`
  return {
    status: 'completed',
    ...(name === 'video-no-url' ? {} : { unsigned_urls: [url] }),
    usage,
  }
}

const ENDS: Record<string, Json> = {
  'video-failed': { status: 'failed', error: 'Content policy violation' },
  'video-cancelled': { status: 'cancelled', error: 'Job was cancelled' },
  'video-expired': { status: 'expired', error: 'Job exceeded maximum time to live' },
}

function sendFilm({ req, res }: Exchange): void {
  const headers = { 'content-type': 'video/mp4', 'accept-ranges': 'bytes' }
  const range = /^bytes=(\d*)-(\d*)$/.exec(req.headers.range ?? '')
  if (range === null || (range[1] === '' && range[2] === '')) {
    res.writeHead(200, { ...headers, 'content-length': FILM.length })
    return void res.end(FILM)
  }
  const [from, to] = span(range[1]!, range[2]!)
  if (from > to || from >= FILM.length) {
    res.writeHead(416, { ...headers, 'content-range': `bytes */${FILM.length}` })
    return void res.end()
  }
  const part = FILM.subarray(from, to + 1)
  const where = `bytes ${from}-${to}/${FILM.length}`
  res.writeHead(206, { ...headers, 'content-range': where, 'content-length': part.length })
  res.end(part)
}

function span(first: string, last: string): [number, number] {
  const end = FILM.length - 1
  if (first === '') return [Math.max(0, FILM.length - Number(last)), end]
  return [Number(first), last === '' ? end : Math.min(end, Number(last))]
}
