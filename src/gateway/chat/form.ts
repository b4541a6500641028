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
import { costField } from '../billed-call.ts'
import { HalfCalls } from './half-calls.ts'
import type { AnswerWish } from '../price/call-hold.ts'
import type { CostEstimate } from '../price/cost-estimate.ts'

/* The contract between chat and a dialect: the order, and how the answer is written. */

/** A chat request, checked and measured: what to ask whom, what to hold, how to bill. */
export type ChatOrder = {
  stage: Stage
  estimate: CostEstimate
  /** What is held instead, while other models may be asked after this one. */
  held?: CostEstimate | undefined
  targets: readonly ModelTarget[]
  request: ChatRequest
  answer: AnswerWish
  usage(reading: UsageReading, output: Output): StageUsage
  /** Of an answer that could not be read. */
  refused(reading: UsageReading): StageUsage
  /** How many answer tokens, of all choices together, a limit pays for. */
  affordable(limitMicro: bigint, bounds: CallLimit['bounds']): number
  /** The prompt's tokens, estimated. */
  promptTokens(): number
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
  /** The last chunks and what follows them. Written before the settlement, and sent after it. */
  end(last: readonly string[], usage: Usage): string
  /** What comes after that and has to know the charge. */
  charged?(usage: Usage, chargedMicro: bigint): string
  /** `error` is the failure as JSON of the route's dialect. Nothing follows. */
  fail(error: string, failure: Failure): string
}

const HEARTBEAT = ': keep-alive\n\n'
const DONE = 'data: [DONE]\n\n'

/** What a caller wants to read at the end of a stream: the counts, and with them what they cost. */
export type UsageWish = { included: boolean; cost: boolean }

/** The fields of a chat or a completion that say so. */
export type UsageFields = {
  stream_options?: { include_usage?: boolean | undefined } | null | undefined
  usage?: { include?: boolean | null | undefined } | null | undefined
}

/** Writes the chunks of a stream as they are sent. */
export type ShownChunks = { write(chunks: readonly string[]): readonly string[] }

export function chatStreamForm(
  ours: OurNames,
  wish: UsageWish,
  shown: ShownChunks = AS_THEY_ARE,
): StreamForm {
  const calls = new HalfCalls()
  const write = (chunks: readonly string[]) => {
    calls.read(chunks)
    return frames(shown.write(chunks))
  }
  return {
    begin: () => '',
    write,
    heartbeat: () => HEARTBEAT,
    end(last) {
      const text = write(last)
      calls.refuse(last)
      return text
    },
    charged: (usage, chargedMicro) => {
      if (!wish.included) return DONE
      const cost = wish.cost ? costField(chargedMicro) : {}
      return write([usageChunk(ours, usage, cost)]) + DONE
    },
    // After a failure there is no [DONE].
    fail: frame,
  }
}

const AS_THEY_ARE: ShownChunks = { write: (chunks) => chunks }

function frames(chunks: readonly string[]): string {
  let text = ''
  for (const chunk of chunks) text += frame(chunk)
  return text
}

function frame(data: string): string {
  return `data: ${data}\n\n`
}
