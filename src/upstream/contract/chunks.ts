import type { ChatResult, OurNames } from './contract.ts'
import { usageFields } from '../openai/usage.ts'
import type { UsageReading } from './usage.ts'
import type { Fields } from '../../lib/fields.ts'

/** Writes OpenAI's objects for providers whose own are different. */

export function chunkText(
  ours: OurNames,
  delta: Fields,
  finish: { reason: string | null; index?: number } = { reason: null },
): string {
  return JSON.stringify({
    id: ours.id,
    object: 'chat.completion.chunk',
    created: ours.created,
    model: ours.model,
    choices: [{ index: finish.index ?? 0, delta, finish_reason: finish.reason }],
  })
}

export type Choice = { index: number; message: Fields; finish_reason: string }

export function completion(
  ours: OurNames,
  choices: readonly Choice[],
  usage: UsageReading,
  generationId: string | undefined,
): ChatResult {
  const first = choices[0]!
  const { content } = first.message
  return {
    body: {
      id: ours.id,
      object: 'chat.completion',
      created: ours.created,
      model: ours.model,
      choices: choices.map((choice) => ({ ...choice, logprobs: null })),
      usage: usage.kind === 'reported' ? usageFields(usage.usage) : undefined,
    },
    text: typeof content === 'string' ? content : '',
    finishReason: first.finish_reason,
    usage,
    ...(generationId === undefined ? {} : { generationId }),
  }
}
