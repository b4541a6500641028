import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { ABSENT, countOf, readUsage, unknownCounts, type UsageReading } from '../contract/usage.ts'

/**
 * `usageMetadata`: thoughts and the prompts of tools are counted beside the others, cached tokens
 * are part of the prompt's.
 */
export function geminiUsage(raw: unknown): UsageReading {
  if (!isFields(raw)) return ABSENT
  const prompt = byModality(raw.promptTokensDetails, raw.toolUsePromptTokensDetails)
  const answer = byModality(raw.candidatesTokensDetails)
  const { cachedContentTokenCount: cached, thoughtsTokenCount: thoughts } = raw
  const said = raw.candidatesTokenCount ?? sumOf(answer)
  return readUsage({
    promptTokens: [
      raw.promptTokenCount ?? sumOf(byModality(raw.promptTokensDetails)),
      raw.toolUsePromptTokenCount,
    ],
    // An answer without tokens has no count.
    completionTokens: [said ?? (raw.promptTokenCount === undefined ? undefined : 0), thoughts],
    cachedTokens: [cached],
    cachedAudioTokens: byModality(raw.cacheTokensDetails).AUDIO,
    audioTokens: prompt.AUDIO,
    imageTokens: prompt.IMAGE,
    reasoningTokens: [thoughts],
    audioOutputTokens: answer.AUDIO,
    imageOutputTokens: answer.IMAGE,
    unknown: {
      prompt: unknownCounts(prompt, MODALITIES),
      answer: unknownCounts(answer, MODALITIES),
      beside: unknownCounts(raw, KNOWN),
    },
  })
}

const MODALITIES = new Set(['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT'])

const KNOWN = new Set([
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'toolUsePromptTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
  'promptTokensDetails',
  'cacheTokensDetails',
  'candidatesTokensDetails',
  'toolUsePromptTokensDetails',
])

type Modalities = Record<string, unknown[]>

/** A modality that is not listed was not reported. */
function byModality(...details: readonly unknown[]): Modalities {
  const found: [string, unknown][] = details.flatMap(listOf).map((one): [string, unknown] => {
    const { modality, tokenCount }: Fields = fieldsOf(one)
    return [textOf(modality) ?? '', tokenCount]
  })
  const groups = Map.groupBy(found, ([modality]) => modality)
  return Object.fromEntries([...groups].map(([name, all]) => [name, all.map(([, count]) => count)]))
}

function sumOf(modalities: Modalities): number | undefined {
  const counts = Object.values(modalities).flat()
  return counts.length === 0
    ? undefined
    : counts.reduce<number>((sum, one) => sum + countOf(one), 0)
}
