import type { Answer } from '../../lib/answer.ts'
import { answerId } from '../../lib/ids.ts'
import { refusedKind } from '../bill/allowance-store.ts'
import { dropOf, openBill, type Bill } from '../bill/billable.ts'
import {
  newCourse,
  sumMicro,
  type BillLine,
  type Dropped,
  type Stage,
  type Waived,
} from '../bill/rows.ts'
import {
  abortOf,
  doStage,
  enterCall,
  jsonAnswer,
  noReader,
  workSize,
  type PaidStage,
} from '../billed-call.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { planVoice, type VoiceBody, type VoicePlan } from './plan-voice.ts'
import type { Recording } from './recording.ts'
import { heardLanguage } from './transcribe.ts'

type VoiceAnswer = {
  transcript: string
  transcript_language: string
  text: string
  audio_base64?: string
  audio_content_type?: string
  speech_generation_id?: string
}

/** Transcribes, answers and speaks with one hold, one charge, and one record for each stage. */
export async function respond(
  gateway: Gateway,
  call: GatewayCall,
  body: VoiceBody,
  recording: Recording,
): Promise<Answer> {
  const plan = planVoice(gateway, call, body, recording)
  const { principal, requestId } = call
  const { accountId } = principal
  const { stage } = plan.transcription
  let progress: VoiceProgress | undefined
  const entered = enterCall(gateway, call, { stage, workedMicro: () => progress?.ranMicro ?? 0n })
  try {
    await entered.admit(workSize(plan.estimate).estimateMicro)
    const { trace } = call.signal
    const abort = abortOf(call)
    const order = { principal, requestId, stage, trace, ...plan.estimate, abort }
    const bill = await openBill(gateway.billing, order)
    progress = new VoiceProgress(call.signal, stage, bill)
    try {
      const answer = await bill.confirm(answerAloud(plan, progress, requestId))
      if (await entered.hasLeft(progress.ranMicro)) throw noReader()
      const receipt = await bill.settle(progress.lines)
      return jsonAnswer(answer, { requestId, receipt, generationId: undefined })
    } catch (error) {
      const { unpaidMicro: micro } = progress
      const end = progress.end(error)
      // Whichever stage failed: the next flow may end like this one.
      const refused = micro > 0n && end.status === 'failed'
      if (refused) gateway.callLimits.doubt(accountId, stage.kind)
      const kind = refused ? refusedKind(stage.kind) : undefined
      const countedMicro = await entered.counted()
      await gateway.allowance.drop(bill, end, { accountId, micro, countedMicro, kind })
      throw error
    }
  } finally {
    entered.end()
  }
}

async function answerAloud(
  plan: VoicePlan,
  progress: VoiceProgress,
  requestId: string,
): Promise<VoiceAnswer> {
  const transcription = await progress.run(plan.transcription)
  const transcript = transcription.text
  const { text } = await progress.run(await plan.answer(transcript, progress.leftMicro))
  const answer = {
    transcript,
    transcript_language: heardLanguage(transcription, plan.language),
    text,
  }
  if (plan.speech === undefined) return answer
  const speech = await progress.run(plan.speech(text, progress.leftMicro))
  return {
    ...answer,
    audio_base64: speech.audio.toString('base64'),
    audio_content_type: speech.mediaType,
    speech_generation_id: answerId('gen_', requestId),
  }
}

/** Which stages have run, and which one is running. */
class VoiceProgress {
  readonly lines: BillLine[] = []
  readonly #signal: AbortSignal
  readonly #bill: Bill
  #stage: Stage
  #course = newCourse()
  /** What the stage came to whose answer was refused. */
  #refused: Waived | undefined

  constructor(signal: AbortSignal, first: Stage, bill: Bill) {
    this.#signal = signal
    this.#bill = bill
    this.#stage = first
  }

  /** What may still be spent; undefined where the account can pay for anything. */
  get leftMicro(): bigint | undefined {
    const { callLimit } = this.#bill
    if (callLimit === undefined) return undefined
    const { ranMicro } = this
    return ranMicro < callLimit.limitMicro ? callLimit.limitMicro - ranMicro : 0n
  }

  /** What the stages that have run cost. */
  get ranMicro(): bigint {
    return sumMicro(this.lines.map(({ costMicro }) => costMicro))
  }

  /** Nobody pays for a flow that does not end well. */
  get unpaidMicro(): bigint {
    return this.ranMicro + (this.#refused?.micro ?? 0n)
  }

  async run<Result>(next: PaidStage<Result>): Promise<Result> {
    this.#stage = next.stage
    this.#course = newCourse()
    this.#signal.throwIfAborted()
    const course = this.#course
    const asking = { signal: this.#signal, course }
    const { result, usage } = await doStage(next, asking, this.#bill, (made) => {
      this.#refused = made
    })
    const latencyMs = performance.now() - course.beganMs
    this.lines.push({ ...usage, stage: next.stage, latencyMs, course })
    return result
  }

  /** The failed stage has the error; those before it are recorded and not charged. */
  end(error: unknown): Dropped & { ran: BillLine[] } {
    const course = this.#course
    const latencyMs = performance.now() - course.beganMs
    const ran = this.lines.filter((line) => line.stage !== this.#stage)
    const dropped = dropOf(error, this.#stage, latencyMs, this.#signal)
    return { ...dropped, course, ran, waived: this.#refused }
  }
}
