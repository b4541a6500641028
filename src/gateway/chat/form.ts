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
import { HalfCalls } from './half-calls.ts'
import type { AnswerWish } from '../price/call-hold.ts'
import type { CostEstimate } from '../price/cost-estimate.ts'

/* The contract between chat and a dialect: the order, and how the answer is written. */

/** A chat request, checked and measured: what to ask whom, what to hold, how to bill. */
export type ChatOrder = {
  stage: Stage
  estimate: CostEstimate
  targets: readonly ModelTarget[]
  request: ChatRequest
  answer: AnswerWish
  usage(reading: UsageReading, output: Output): StageUsage
  /** Of an answer that could not be read. */
  refused(reading: UsageReading): StageUsage
  /** How many answer tokens, of all choices together, a limit pays for. */
  affordable(limitMicro: bigint, bounds: CallLimit['bounds']): number
  /** An upper bound of the prompt's tokens. */
  boundPrompt(): number
  /** What the dialect writes in the settling commit. */
  writes?: (() => CallWrite[]) | undefined
}

/**
 * Writes a whole answer. Called before the charge: what cannot be written is not charged. `usage`
 * is what will be charged for.
 */
export type WholeForm = (result: ChatResult, usage: Usage) => unknown

/** Writes a stream; each function returns the text to be sent. One object for each stream. */
export type StreamForm = {
  /** Before the first part of the answer. */
  begin(stream: Pick<ChatStream, 'native'>): string
  write(chunks: readonly string[]): string
  /** Sent every 15 seconds. */
  heartbeat(): string
  /** The last chunks and what follows them. Sent after the settlement. */
  end(last: readonly string[], usage: Usage): string
  /** `error` is the failure as JSON of the route's dialect. Nothing follows. */
  fail(error: string, failure: Failure): string
}

const HEARTBEAT = ': keep-alive\n\n'
const DONE = 'data: [DONE]\n\n'

export function chatStreamForm(ours: OurNames, includeUsage: boolean): StreamForm {
  const calls = new HalfCalls()
  return {
    begin: () => '',
    write(chunks) {
      calls.read(chunks)
      return frames(chunks)
    },
    heartbeat: () => HEARTBEAT,
    end(last, usage) {
      calls.read(last)
      calls.refuse(last)
      return frames(last) + (includeUsage ? frame(usageChunk(ours, usage)) : '') + DONE
    },
    // After a failure there is no [DONE].
    fail: frame,
  }
}

function frames(chunks: readonly string[]): string {
  let text = ''
  for (const chunk of chunks) text += frame(chunk)
  return text
}

function frame(data: string): string {
  return `data: ${data}\n\n`
}
