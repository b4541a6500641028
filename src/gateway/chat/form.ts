import type { Failure } from '../../lib/failure.ts'
import { usageChunk } from '../../upstream/contract/chunks.ts'
import type {
  ChatRequest,
  ChatResult,
  ModelTarget,
  OurNames,
} from '../../upstream/contract/contract.ts'
import type { Usage, UsageReading } from '../../upstream/contract/usage.ts'
import type { ChatStream } from '../../upstream/work.ts'
import type { CallLimit, CallWrite, Stage, StageUsage } from '../bill/rows.ts'
import type { Output } from '../price/call-charge.ts'
import type { AnswerWish } from '../price/call-hold.ts'
import type { CostEstimate } from '../price/cost-estimate.ts'

/* What a dialect and the chat share: the order, and how its answer is written. */

/** A chat that has been understood: what to ask, of whom, what to hold, how to bill. */
export type ChatOrder = {
  stage: Stage
  estimate: CostEstimate
  targets: readonly ModelTarget[]
  request: ChatRequest
  answer: AnswerWish
  usage(reading: UsageReading, output: Output): StageUsage
  /** How many tokens of an answer, of all choices together, a limit pays for. */
  affordable(limitMicro: bigint, bounds: CallLimit['bounds']): number
  /** No fewer tokens than the prompt has. */
  boundPrompt(): number
  /** What its dialect adds to the commit that settles it. */
  writes?: (() => CallWrite[]) | undefined
}

/**
 * Of a whole answer in another dialect, before it is charged, so that what cannot be said costs nothing. The usage is
 * what will be charged for.
 */
export type WholeForm = (result: ChatResult, usage: Usage) => unknown

/** Of a stream: each gives the text to be sent. One for each stream, since it may have a state. */
export type StreamForm = {
  /** Before anything of the answer is there. */
  begin(stream: Pick<ChatStream, 'native'>): string
  write(chunks: readonly string[]): string
  /** Sent now and then while nothing else is. */
  heartbeat(): string
  /** The chunks that tell the end, and all that follows. Sent once it is paid for. */
  end(last: readonly string[], usage: Usage): string
  /** A failure, also as the JSON text of the route's dialect. Nothing follows. */
  fail(error: string, failure: Failure): string
}

const HEARTBEAT = ': keep-alive\n\n'
const DONE = 'data: [DONE]\n\n'

export function chatStreamForm(ours: OurNames, includeUsage: boolean): StreamForm {
  return {
    begin: () => '',
    write: frames,
    heartbeat: () => HEARTBEAT,
    end: (last, usage) =>
      frames(last) + (includeUsage ? frame(usageChunk(ours, usage)) : '') + DONE,
    // A stream that broke has no [DONE].
    fail: frame,
  }
}

/** What was charged for, with the upstream's finer counts where it reported them. */
export function countedUsage(reading: UsageReading, charged: StageUsage): Usage {
  const reported = reading.kind === 'reported' ? reading.usage : {}
  const { promptTokens, completionTokens } = charged
  return { ...reported, promptTokens, completionTokens }
}

function frames(chunks: readonly string[]): string {
  let text = ''
  for (const chunk of chunks) text += frame(chunk)
  return text
}

function frame(data: string): string {
  return `data: ${data}\n\n`
}
