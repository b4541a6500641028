import { setTimeout as wait } from 'node:timers/promises'
import { lockClaim } from '../../../idempotency/replay-store.ts'
import { JSON_TYPE, type Answer, type StorableAnswer } from '../../../lib/answer.ts'
import { Failure, invalidField } from '../../../lib/failure.ts'
import { randomBase62, uuidv7 } from '../../../lib/ids.ts'
import { holdForJob } from '../../bill/job-hold.ts'
import { isRefusal } from '../../bill/place-hold.ts'
import { answerWrite } from '../../bill/postings.ts'
import { callTraces, type CallWrite } from '../../bill/rows.ts'
import { workSize } from '../../billed-call.ts'
import { choiceOf } from '../../chat/choice.ts'
import type { ChatOrder } from '../../chat/form.ts'
import { EventWriter } from '../answer/event-writer.ts'
import { responseOf, type ResponseStart } from '../answer/response.ts'
import { WholeEvents } from '../answer/whole-events.ts'
import { orderAsked, readAsked, type AskedResponse } from '../asked.ts'
import type { ResponseCall, Responses } from '../responses.ts'
import { storageOf, styleOf } from '../create.ts'
import type { ResponsesBody } from '../request/body.ts'
import { appendEvents } from './events-store.ts'
import { followResponse } from './follow.ts'
import { countOpenJobs, insertResponseJob, leaveJob, type NewResponseJob } from './jobs-store.ts'

/** What waits or runs for one account. */
const MOST_OPEN = 20
const MOST_REQUEST_BYTES = 2_000_000
/** It is read again by the worker, which answers many at once. */
const MOST_CONVERSATION_BYTES = 4_000_000
const DEADLINE_MS = 3_600_000
/** After its deadline the job is ended, and its hold with it; should nobody do so, the sweeper does. */
const HOLD_LONGER_MS = 300_000

/** The response that was accepted, or its events: a job with its hold, committed before it is told. */
export async function acceptResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
): Promise<Answer & { stored?: true }> {
  const asked = await readAsked(responses, call, onlyModel(body))
  const seed = randomBase62(24)
  requireStorage(responses, call, asked, seed)
  const { head } = styleOf(responses, asked, { seed, stores: true })
  const order = await orderAsked(responses, call, asked, { responseId: `resp_${seed}` })
  await requirePlace(responses, call)
  const job = newJob(responses, call, { head, order, body })
  const answer = { status: 200, headers: { 'content-type': JSON_TYPE }, body: job.response }
  await place(responses, call, { order, job, head, answer })
  const { id, accountId } = job
  if (job.streams) return followResponse(responses, call, { id, accountId, from: 0 })
  return call.claim === undefined ? answer : { ...answer, stored: true }
}

/** Its hold is for one model, and is made long before the model is asked. */
function onlyModel(body: ResponsesBody): ResponsesBody {
  const { bodies } = choiceOf(body)
  if (bodies.length === 1) return bodies[0]!
  throw invalidField('models', 'must be left out with background, which asks one model')
}

/** It is read from where it is stored. */
function requireStorage(
  responses: Responses,
  call: ResponseCall,
  asked: AskedResponse,
  seed: string,
): void {
  const { body } = asked
  if (body.store === false) throw invalidField('background', 'needs store, which must not be false')
  if (responses.storedDays === 0) throw invalidField('background', 'is not offered here')
  const fits =
    bytesOf(body) <= MOST_REQUEST_BYTES && bytesOf(asked.whole) <= MOST_CONVERSATION_BYTES
  if (fits && storageOf(responses, call, asked, seed).possible) return
  const most = 'an input of at most 1 MB, in a request of 2 MB and a conversation of 4 MB'
  throw invalidField('background', `takes ${most}`)
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

async function requirePlace({ db }: Responses, { principal }: ResponseCall): Promise<void> {
  if ((await countOpenJobs(db, principal.accountId)) < MOST_OPEN) return
  const message = `This account already has ${MOST_OPEN} responses in the background. Wait until one of them ends.`
  throw new Failure('rate_limited', message, { retryAfterS: 5 })
}

function newJob(
  { gateway, storedDays: days }: Responses,
  call: ResponseCall,
  { head, order, body }: { head: ResponseStart; order: ChatOrder; body: ResponsesBody },
): NewResponseJob {
  const now = gateway.billing.clock.now()
  const { requestId, keyId, workspaceId } = callTraces(call)
  return {
    id: `resp_${head.seed}`,
    accountId: call.principal.accountId,
    requestId,
    keyId,
    workspaceId,
    model: head.model,
    billId: uuidv7(now.getTime()),
    worthMicro: workSize(order.estimate).estimateMicro,
    request: JSON.stringify(body),
    response: JSON.stringify(responseOf(head, { status: 'queued', output: [] })),
    streams: body.stream === true,
    createdAt: new Date(head.createdAt * 1_000),
    deadline: new Date(now.getTime() + DEADLINE_MS),
    days,
  }
}

type Accepted = {
  order: ChatOrder
  job: NewResponseJob
  head: ResponseStart
  answer: StorableAnswer
}

async function place(
  responses: Responses,
  call: ResponseCall,
  { order, job, head, answer }: Accepted,
): Promise<void> {
  const { principal, requestId, claim } = call
  const { stage, estimate } = order
  const about = { principal, requestId, stage, ...estimate, abort: () => {} }
  const stored = claim === undefined ? [] : [answerWrite({ claim, answer })]
  const rows: CallWrite[] = [{ write: (tx) => insertResponseJob(tx, job) }, ...stored]
  if (job.streams) rows.splice(1, 0, { write: (tx) => appendEvents(tx, job, firstEvents(head)) })
  const { accountId } = principal
  const onlyIf = claim && {
    stillTrue: (tx: Parameters<typeof lockClaim>[0]) => lockClaim(tx, claim),
    otherwise: { accountId },
  }
  const deadline = new Date(job.deadline.getTime() + HOLD_LONGER_MS)
  const held = { id: job.billId, deadline, writes: () => rows, onlyIf }
  try {
    await holdForJob(responses.gateway.billing, about, held)
  } catch (error) {
    // A retry with the key finds the job; without a key nobody would.
    if (!isRefusal(error) && claim === undefined) void abandon(responses, job)
    throw error
  }
}

export const FIRST_EVENTS = 2

function firstEvents(head: ResponseStart) {
  const writer = new EventWriter()
  new WholeEvents(writer, head).queue()
  return { first: 0, count: FIRST_EVENTS, events: writer.written() }
}

const ABANDON_MS = 5_000

/** The caller was told that it failed: if the row exists after all, it must not run. */
async function abandon({ db, gateway }: Responses, job: NewResponseJob): Promise<void> {
  for (;;) {
    try {
      return void (await leaveJob(db, job, { deletes: true }))
    } catch (error) {
      const message = 'A response in the background could not be cancelled; it will be tried again.'
      gateway.billing.log.warn(message, { error })
    }
    await wait(ABANDON_MS, undefined, { ref: false })
  }
}
