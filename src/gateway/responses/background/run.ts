import type { Outflow } from '../../../lib/answer.ts'
import { codeOf, Failure } from '../../../lib/failure.ts'
import type { Fields } from '../../../lib/json.ts'
import { openBill } from '../../bill/billable.ts'
import type { Stage } from '../../bill/rows.ts'
import { EventWriter } from '../answer/event-writer.ts'
import { unixSecondsOf } from '../answer/response.ts'
import { failedError } from '../answer/whole-events.ts'
import type { Responses } from '../responses.ts'
import { createResponse } from '../create.ts'
import type { ResponseRun } from '../form.ts'
import type { ResponsesBody } from '../request/body.ts'
import { deleteStoredResponse } from '../stored/stored-responses-store.ts'
import { FIRST_EVENTS } from './acceptance.ts'
import { EventLog } from './event-log.ts'
import { appendEvents } from './events-store.ts'
import { JobCall, principalOf } from './job-call.ts'
import { beatJob, endJobRow, giveBackJob, type ClaimedResponse, type JobEnd } from './jobs-store.ts'

/** With the one whose process died. */
const MOST_TRIES = 3

export type JobTiming = { leaseS: number; beatMs: number }

/** Answers a response that this process has claimed, or ends it. */
export async function runResponse(
  responses: Responses,
  job: ClaimedResponse,
  { timing, stopping }: { timing: JobTiming; stopping: AbortSignal },
): Promise<void> {
  if (job.isLeft) return drop(responses, job, undefined)
  if (job.isOverdue) return drop(responses, job, expired())
  if (job.tries > 1 && !(await mayRepeat(responses, job))) return drop(responses, job, lost())
  await answer(responses, job, { timing, stopping })
}

/**
 * A try that was lost with its process has cost us what it was worth: it is counted in the allowance.
 * Whoever reads the events has seen a part of that answer, which another one would not go on.
 */
async function mayRepeat({ gateway }: Responses, job: ClaimedResponse): Promise<boolean> {
  const { accountId, worthMicro, tries, nextEvent } = job
  // After the events of its acceptance comes that it is in progress.
  if (tries > MOST_TRIES || nextEvent > FIRST_EVENTS + 1) return false
  return gateway.allowance.mayRepeat({ accountId, stage: stageOf(job) }, worthMicro)
}

async function answer(
  responses: Responses,
  job: ClaimedResponse,
  { timing, stopping }: { timing: JobTiming; stopping: AbortSignal },
): Promise<void> {
  const call = new JobCall(job)
  const log = logOf(responses, job)
  const run = runOf(job, log)
  const handOver = () => call.handOver()
  stopping.addEventListener('abort', handOver, { once: true })
  const beats = setInterval(() => void beat(responses, job, call, timing), timing.beatMs)
  let text = ''
  try {
    const request = JSON.parse(Buffer.from(job.request).toString()) as ResponsesBody
    const { body } = await createResponse(responses, call, { ...request, stream: true }, { run })
    text = await call.flow(body as Outflow, log)
  } catch (error) {
    run.failed(failureOf(responses, error))
  } finally {
    clearInterval(beats)
    stopping.removeEventListener('abort', handOver)
    await log.close()
  }
  const settled = text !== '' && run.last.text !== '' && run.failure === undefined
  if (settled) return keepLast(responses, job, log, run.last)
  if (call.goesOn) return giveBackJob(responses.db, job)
  await end(responses, job, { log, failure: call.left ? undefined : (run.failure ?? lost()) })
}

function logOf({ db }: Responses, { id, lease, streams, nextEvent }: ClaimedResponse): EventLog {
  return new EventLog({ db, id, lease, first: Math.max(nextEvent, FIRST_EVENTS), keeps: streams })
}

type Run = ResponseRun & { failure?: Failure | undefined; last: { first: number; text: string } }

function runOf(job: ClaimedResponse, log: EventLog): Run {
  const { id, accountId } = job
  const run: Run = {
    seed: id.slice('resp_'.length),
    createdAt: unixSecondsOf(job.createdAt),
    writer: new EventWriter(log.next),
    last: { first: 0, text: '' },
    events: (text) => log.add(text),
    lastEvents: (text) => void (run.last = { first: run.writer.next - countIn(text), text }),
    ended: (status) => [
      {
        async write(tx) {
          const ended = await endJobRow(tx, { id, status: status as JobEnd['status'] })
          if (ended?.isDeleted) await deleteStoredResponse(tx, accountId, id)
        },
      },
    ],
    failed: (failure) => void (run.failure = failure),
  }
  return run
}

function countIn(events: string): number {
  return events.split('\n\n').length - 1
}

/** Settled: a reader may see how it ended. */
async function keepLast(
  { db }: Responses,
  { id }: ClaimedResponse,
  log: EventLog,
  last: Run['last'],
): Promise<void> {
  for (const piece of log.rest(last)) await appendEvents(db, { id }, piece)
}

async function beat(
  responses: Responses,
  job: ClaimedResponse,
  call: JobCall,
  { leaseS }: JobTiming,
): Promise<void> {
  try {
    const held = await beatJob(responses.db, job, leaseS)
    if (held === undefined) call.handOver()
    else if (held.isLeft) await call.leave()
  } catch (error) {
    responses.gateway.billing.log.warn('A response in the background could not be looked after.', {
      error,
    })
  }
}

/** Ends it before an upstream is asked: without a failure it is cancelled. */
async function drop(
  responses: Responses,
  job: ClaimedResponse,
  failure: Failure | undefined,
): Promise<void> {
  const { billing } = responses.gateway
  const { requestId, worthMicro: estimateMicro } = job
  const stage = stageOf(job)
  const about = { principal: principalOf(job), requestId, stage, estimateMicro, minimumMicro: 0n }
  const adopted = { ...about, job: { id: job.billId, goesOn: () => false }, abort: () => {} }
  const status = failure === undefined ? 'cancelled' : 'failed'
  const errorCode = failure === undefined ? 'caller_left' : (codeOf(failure) ?? 'internal_error')
  try {
    const bill = await openBill(billing, adopted)
    await bill.drop({ status, errorCode, stage, latencyMs: 0 })
  } catch (error) {
    // Its hold is gone: it was ended before, and only its row was left.
    if (!(error instanceof Failure)) throw error
  }
  await end(responses, job, { log: logOf(responses, job), failure })
}

async function end(
  { db }: Responses,
  job: ClaimedResponse,
  { log, failure }: { log: EventLog; failure: Failure | undefined },
): Promise<void> {
  const response = endedResponse(job, failure)
  const writer = new EventWriter(log.next)
  if (failure !== undefined) writer.write('response.failed', { response })
  const pieces = log.rest({ first: log.next, text: writer.written() })
  const status = failure === undefined ? 'cancelled' : 'failed'
  await db.begin(async (tx) => {
    for (const piece of pieces) await appendEvents(tx, job, piece)
    await endJobRow(tx, { id: job.id, status, response: JSON.stringify(response) })
  })
}

function endedResponse({ response }: ClaimedResponse, failure: Failure | undefined): Fields {
  const accepted = JSON.parse(Buffer.from(response).toString()) as Fields
  if (failure === undefined) return { ...accepted, status: 'cancelled' }
  return { ...accepted, status: 'failed', error: failedError(failure) }
}

function stageOf({ model }: ClaimedResponse): Stage {
  return { kind: 'chat', model }
}

function failureOf({ gateway }: Responses, error: unknown): Failure {
  if (error instanceof Failure) return error
  gateway.billing.log.error('A response in the background broke.', { error })
  return new Failure('internal', 'Something went wrong on our side.', { cause: error })
}

function lost(): Failure {
  const message = 'The response was interrupted and is not charged. Send it again.'
  return new Failure('unavailable', message)
}

function expired(): Failure {
  const message = 'The response was not begun in time and is not charged. Send it again later.'
  return new Failure('unavailable', message)
}
