import type { ChatRequest, ModelTarget } from '../../upstream/contract/contract.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'
import type { CallLimit, CallWrite, Stage, StageUsage } from '../bill/rows.ts'
import type { CostEstimate } from '../price/cost-estimate.ts'
import type { Output } from '../price/call-charge.ts'
import type { AnswerWish } from '../price/call-hold.ts'

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
