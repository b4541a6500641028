import { isFields, parseForeignJson, type Fields } from '../../lib/json.ts'
import type { ChatResult, OurNames, SseEvent } from './contract.ts'
import { UpstreamError } from './upstream-error.ts'
import { outputOf, usageFields, type Usage, type UsageReading } from './usage.ts'

/* Reads stream events, and writes OpenAI's objects for providers with their own format. */

export function eventFields({ data }: SseEvent): Fields {
  let json: unknown
  try {
    json = parseForeignJson(data)
  } catch {
    throw new UpstreamError('garbage', 'json')
  }
  if (!isFields(json)) throw new UpstreamError('garbage', 'event')
  return json
}

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

/** For callers who asked for `include_usage`; `more` is told beside the counts. */
export function usageChunk(ours: OurNames, usage: Usage, more: Fields = {}): string {
  return JSON.stringify({
    id: ours.id,
    object: 'chat.completion.chunk',
    created: ours.created,
    model: ours.model,
    choices: [],
    usage: { ...usageFields(usage), ...more },
  })
}

export const NO_CHUNKS: readonly string[] = []

/** What a reader knows of its stream so far, in any format. */
export class StreamProgress {
  done = false
  finishReason: string | null = null
  finishes = 0
  readonly finished = new Set<number>()
  generationId: string | undefined
  outputBytes = 0
  pictures = 0

  protected finish(reason: string, index = 0): void {
    this.finishReason = reason
    this.finishes += 1
    this.finished.add(index)
  }
}

export type ChatChoice = { index: number; message: Fields; finish_reason: string }

export function completion(
  ours: OurNames,
  choices: readonly ChatChoice[],
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
    },
    text: typeof content === 'string' ? content : '',
    finishReason: first.finish_reason,
    usage,
    generationId,
    ...outputOf(choices.map(({ message }) => message)),
  }
}
