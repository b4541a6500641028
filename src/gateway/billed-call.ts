import { LRUCache } from 'lru-cache'
import { creditsNumber, creditsText, greater } from '../ledger/money.ts'
import type { StorableAnswer } from '../lib/answer.ts'
import type { Asking, CallCourse } from '../lib/telemetry/call-course.ts'
import { Failure } from '../lib/failure.ts'
import { hmacSha256 } from '../lib/secrets.ts'
import type { ChatRequest } from '../upstream/contract/contract.ts'
import type { UsageReading } from '../upstream/contract/usage.ts'
import { insufficient } from './bill/insufficient.ts'
import { dropOf, openBill, type Bill } from './bill/billable.ts'
import {
  newCourse,
  type CallLimit,
  type CallWrite,
  type Receipt,
  type Stage,
  type StageUsage,
  type Waived,
} from './bill/rows.ts'
import type { Gateway, GatewayCall, PaidParts } from './gateway.ts'
import { thoughtMicro, type CostEstimate } from './price/cost-estimate.ts'
import { dropWork, leftOf, refusedWork, waivedWork } from './unpaid-work.ts'

/** One stage of paid work: what to hold, how to do it, how to bill it. */
export type PaidStage<Result> = {
  stage: Stage
  estimate: CostEstimate
  /** Must keep to the bill's limit, if there is one. */
  work(asking: Asking, bill: Bill): Promise<Result>
  usage(result: Result): StageUsage
  /** Throws where the answer cannot be used: it was made all the same. */
  accept?: ((result: Result, usage: StageUsage) => void) | undefined
  /** What an answer came to that could not be read, by the upstream's report alone. */
  refused(reading: UsageReading): StageUsage
}

/** An upstream call that is answered whole. */
export type BilledCall<Result> = PaidStage<Result> & {
  /** What is held, where that is more than is expected of this stage. */
  held?: CostEstimate | undefined
  /** Written in the commit that settles the call. */
  writes?: (() => CallWrite[]) | undefined
  /** The value of the answer so far, where it is seen as it arrives. */
  outputMicro?: (() => bigint) | undefined
  answer(result: Result, usage: StageUsage, receipt: Receipt): StorableAnswer
}

/** Holds, works, settles and answers; on an error releases the hold and throws. */
export async function runBilledCall<Result>(
  gateway: PaidParts,
  call: GatewayCall,
  billed: BilledCall<Result>,
): Promise<StorableAnswer & { stored?: true }> {
  const { principal, requestId, claim, signal } = call
  const { stage, estimate, held = estimate, outputMicro } = billed
  const { accountId } = principal
  const course = newCourse()
  const latencyMs = () => performance.now() - course.beganMs
  const size = workSize(estimate)
  const workedMicro = () => greater(workMicro(size, latencyMs()), outputMicro?.() ?? 0n)
  const entered = enterCall(gateway, call, { stage, workedMicro, anySize: isOfAnySize(estimate) })
  let refused: Waived | undefined
  try {
    await entered.admit(size.estimateMicro)
    const { trace } = signal
    const order = { principal, requestId, stage, trace, ...held, abort: abortOf(call) }
    const bill = await openBill(gateway.billing, order)
    try {
      const work = doStage(billed, { signal, course }, bill, (made) => (refused = made))
      const { result, usage } = await bill.confirm(work)
      const line = { ...usage, stage, course, latencyMs: latencyMs() }
      if (await entered.hasLeft(usage.costMicro)) {
        const work = { accountId, micro: usage.costMicro, countedMicro: await entered.counted() }
        await dropWork(gateway, bill, leftOf(line), work)
        throw noReader()
      }
      const shown = (receipt: Receipt) => {
        const answer = billed.answer(result, usage, receipt)
        return { ...answer, headers: { ...answer.headers, ...ignoredHeader(course) } }
      }
      const { writes } = billed
      if (claim === undefined) return shown(await bill.settle([line], undefined, writes))
      const answer = writtenOnce(shown)
      return { ...answer(await bill.settle([line], { claim, answer }, writes)), stored: true }
    } catch (error) {
      const end = { ...dropOf(error, stage, latencyMs(), signal), course }
      const micro = workedMicro()
      const work = { accountId, micro, countedMicro: await entered.counted(), refused }
      await dropWork(gateway, bill, end, work)
      throw error
    }
  } finally {
    entered.end()
  }
}

/** What `refused` is told was made and cannot be used. */
export async function doStage<Result>(
  stage: PaidStage<Result>,
  asking: Asking,
  bill: Bill,
  refused: (made: Waived) => void,
): Promise<{ result: Result; usage: StageUsage }> {
  const result = await stage.work(asking, bill).catch((error: unknown) => {
    const { estimateMicro } = workSize(stage.estimate)
    const made = refusedWork(error, { estimateMicro, refused: stage.refused })
    if (made !== undefined) refused(made)
    throw error
  })
  const usage = stage.usage(result)
  try {
    stage.accept?.(result, usage)
  } catch (error) {
    refused(waivedWork(usage))
    throw error
  }
  return { result, usage }
}

/** Bound to its call. */
export function abortOf(call: GatewayCall): (reason: Failure) => void {
  return (reason) => call.abort(reason)
}

export function noReader(): Failure {
  const message = 'The caller left before the answer was complete.'
  return new Failure('unavailable', message, { code: 'caller_left' })
}

export type EnteredCall = {
  /** Asked once: a caller leaves once. Not while nobody knows what it is worth. */
  mayLeave(worthMicro: bigint): Promise<boolean>
  /** At its end: whether its caller left and does not pay for what it came to. */
  hasLeft(worthMicro: bigint): Promise<boolean>
  /** What the allowance has counted of it. */
  counted(): Promise<bigint>
  /** Throws where answers of this kind were refused, and the allowance is used up. */
  admit(worthMicro: bigint): Promise<void>
  end(): void
}

/**
 * Counts a call among those that its account has running, until `end`. A caller who leaves aborts it
 * where the allowance pays for what was done by then; else it runs to its end. A call of any size
 * runs to its end in any case: only then it is known what it was worth.
 */
export function enterCall(
  { allowance, callLimits }: Pick<Gateway, 'allowance' | 'callLimits'>,
  call: Pick<GatewayCall, 'principal' | 'stay'>,
  work: { stage: Stage; workedMicro(): bigint; anySize?: boolean },
): EnteredCall {
  const { stage, workedMicro, anySize = false } = work
  const { accountId } = call.principal
  const leave = callLimits.enter(call.principal)
  let asked: Promise<boolean> | undefined
  let countedMicro = 0n
  let [left, ended] = [false, false]
  const ask = async (worthMicro: bigint) => {
    const may = await allowance.mayLeave({ accountId, stage }, worthMicro)
    if (may) countedMicro = worthMicro
    return may
  }
  const unpaid = (worthMicro: bigint) => (asked ??= ask(worthMicro))
  const mayLeave = async (worthMicro: bigint) => {
    if (ended) return false
    left = true
    return !anySize && (await unpaid(worthMicro))
  }
  call.stay(async () => !(await mayLeave(workedMicro())))
  return {
    mayLeave,
    async hasLeft(worthMicro) {
      ended = true
      return left && (await unpaid(worthMicro))
    },
    async counted() {
      await asked
      return countedMicro
    },
    async admit(worthMicro) {
      if (worthMicro === 0n || !callLimits.doubts(accountId, stage.kind)) return
      await allowance.admit(accountId)
    },
    end: leave,
  }
}

/** Of media that have any size, not only a picture's. */
export function isOfAnySize({ usual }: CostEstimate): boolean {
  return usual?.anySize === true
}

type WorkSize = Pick<CostEstimate, 'estimateMicro' | 'thoughts'> & { promptMicro: bigint }

/** What a call is expected to come to. Keeps nothing of its prompt. */
export function workSize({ usual, estimateMicro, minimumMicro, thoughts }: CostEstimate): WorkSize {
  const { estimateMicro: expected, promptMicro } = usual ?? {
    estimateMicro,
    promptMicro: minimumMicro,
  }
  return { estimateMicro: expected, promptMicro, thoughts }
}

/** How long a fast model takes to write the tokens held for an answer. */
const ANSWER_MS = 1_000

/**
 * What an upstream may have done for a caller who left: the prompt is read at once, the answer
 * written over time.
 */
export function workMicro(
  { estimateMicro, promptMicro, thoughts }: WorkSize,
  latencyMs: number,
): bigint {
  if (estimateMicro <= promptMicro) return estimateMicro
  const share = Math.min(1, latencyMs / ANSWER_MS)
  const written = BigInt(Math.round(Number(estimateMicro - promptMicro) * share))
  return promptMicro + greater(written, thoughtMicro(thoughts, latencyMs))
}

/** `tokens` is what the limit pays for, of all choices together. */
export function affordableRequest(
  request: ChatRequest,
  tokens: number,
  choices: number,
  { limitMicro, bounds }: CallLimit,
): ChatRequest {
  const mostTokens = Math.floor(tokens / choices)
  if (mostTokens >= 1) return { ...request, mostTokens }
  throw insufficient({ availableMicro: limitMicro, neededMicro: bounds.worstCaseMicro })
}

/**
 * An answer with an idempotency key is asked for three times: for its size, to be stored, to be
 * sent. Only another charge changes its body.
 */
function writtenOnce(
  write: (receipt: Receipt) => StorableAnswer,
): (receipt: Receipt) => StorableAnswer {
  let written: { chargedMicro: bigint; answer: StorableAnswer } | undefined
  return ({ chargedMicro, remainingMicro }) => {
    if (written?.chargedMicro !== chargedMicro) {
      written = { chargedMicro, answer: write({ chargedMicro, remainingMicro: undefined }) }
    }
    const { answer } = written
    return { ...answer, headers: { ...answer.headers, ...remainingHeader(remainingMicro) } }
  }
}

export function jsonAnswer(
  body: unknown,
  call: { requestId: string; receipt: Receipt; generationId: string | undefined },
): StorableAnswer {
  return {
    status: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...answerHeaders(call.requestId, call.receipt, call.generationId),
    },
    body: JSON.stringify(body),
  }
}

/** In an answer's usage, for callers who asked for it. */
export function costField(chargedMicro: bigint): { cost: number } {
  return { cost: creditsNumber(chargedMicro) }
}

export function answerHeaders(
  requestId: string,
  receipt: Receipt,
  generationId: string | undefined,
): Record<string, string> {
  const { chargedMicro, remainingMicro } = receipt
  return {
    'x-request-id': requestId,
    'x-credits-charged': creditsText(chargedMicro),
    ...remainingHeader(remainingMicro),
    ...generationHeader(generationId),
  }
}

function remainingHeader(remainingMicro: bigint | undefined): Record<string, string> {
  return remainingMicro === undefined ? {} : { 'x-credits-remaining': creditsText(remainingMicro) }
}

const VISIBLE = /^[\x21-\x7e]{1,200}$/

/**
 * The upstream's id, for support: the only upstream value in a header. Left out where it is no
 * valid header, since a charged answer must be sendable.
 */
export function generationHeader(id: string | undefined): Record<string, string> {
  return id !== undefined && VISIBLE.test(id) ? { 'x-generation-id': id } : {}
}

const LONGEST_HEADER = 1_000

/** What the caller sent and the model was not given, so that nobody has to wonder. */
export function ignoredHeader({ leftOut }: CallCourse): Record<string, string> {
  if (leftOut === undefined || leftOut.size === 0) return {}
  const names = [...leftOut].join(', ')
  const end = names.length > LONGEST_HEADER ? names.lastIndexOf(',', LONGEST_HEADER) : names.length
  return { 'x-ignored-parameters': names.slice(0, end) }
}

const MOST_NAMES_KEPT = 50_000

/**
 * An HMAC for each account, cached: computing it costs more than storing it. One for a name that
 * the account made up is of both, so that no two accounts share it.
 */
export function upstreamNames(key: Buffer): (accountId: string, own?: string) => string {
  const kept = new LRUCache<string, string>({ max: MOST_NAMES_KEPT })
  return (accountId, own) => {
    if (own !== undefined)
      return hmacSha256(key, `${accountId} ${own}`).toString('hex').slice(0, 32)
    const known = kept.get(accountId)
    if (known !== undefined) return known
    const name = hmacSha256(key, accountId).toString('hex').slice(0, 32)
    kept.set(accountId, name)
    return name
  }
}
