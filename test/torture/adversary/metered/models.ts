/** List prices: US dollars for a million tokens, for a second or for a character. */
type ListPrices = {
  prompt?: number
  answer?: number
  audio?: number
  picture?: number
  cacheWrite?: number
  cacheWriteHour?: number
  second?: number
  character?: number
}

export type MeteredModel = {
  id: string
  prices: ListPrices
  inputs?: readonly string[]
  outputs?: readonly string[]
  /** The most that one answer may have. */
  mostTokens?: number
  context?: number
  /** It works in two iterations, of which only the last is counted at the top of its usage. */
  iterates?: boolean
  /** It says nothing of what it has counted. */
  silent?: boolean
  parameters?: readonly string[]
}

const SEES = ['text', 'image', 'file']
const DRAWS = ['image', 'text']

/** By the type of their upstream, whose formats they speak. */
export const METERED_MODELS = {
  openai: [
    {
      id: 'mita/mjibu',
      prices: { prompt: 2.5, answer: 10, audio: 40 },
      inputs: [...SEES, 'audio'],
      mostTokens: 16_384,
    },
    { id: 'mita/sikia', prices: { second: 0.0001 }, inputs: ['audio'], outputs: ['transcription'] },
    {
      id: 'mita/sikia-kimya',
      prices: { second: 0.0001 },
      inputs: ['audio'],
      outputs: ['transcription'],
      silent: true,
    },
    { id: 'mita/sema', prices: { character: 0.000015 }, outputs: ['speech'] },
    { id: 'mita/vekta', prices: { prompt: 0.5 }, outputs: ['embeddings'] },
  ],
  anthropic: [
    {
      id: 'mita/hekaya',
      prices: { prompt: 15, answer: 75, cacheWrite: 18.75, cacheWriteHour: 30 },
      inputs: SEES,
      mostTokens: 32_000,
    },
    {
      id: 'mita/hatua',
      prices: { prompt: 5, answer: 25 },
      inputs: SEES,
      mostTokens: 32_000,
      iterates: true,
    },
  ],
  gemini: [
    {
      id: 'mita/nyota',
      prices: { prompt: 2, answer: 12 },
      inputs: SEES,
      mostTokens: 65_536,
      context: 1_000_000,
      parameters: ['max_tokens', 'tools', 'tool_choice', 'reasoning', 'include_reasoning'],
    },
    { id: 'mita/nyota-vekta', prices: { prompt: 0.5 }, outputs: ['embeddings'] },
  ],
  openrouter: [
    {
      id: 'mita/chora',
      prices: { prompt: 0.5, answer: 30, picture: 30 },
      inputs: ['text', 'image'],
      outputs: DRAWS,
      mostTokens: 32_768,
      parameters: ['max_tokens'],
    },
  ],
} as const satisfies Record<string, readonly MeteredModel[]>

export type MeteredType = keyof typeof METERED_MODELS

const ALL: readonly MeteredModel[] = Object.values(METERED_MODELS).flat()

export function meteredModel(id: unknown): MeteredModel {
  const found = ALL.find((model) => model.id === id)
  if (found === undefined) throw new Error(`there is no model ${String(id)}`)
  return found
}

/** As an operator writes it into `UPSTREAMS_FILE`. */
export function recordOf(model: MeteredModel): object {
  const { id, prices, inputs = ['text'], outputs = ['text'], mostTokens } = model
  return {
    id,
    input_modalities: inputs,
    output_modalities: outputs,
    context_length: model.context ?? 200_000,
    max_output_tokens: mostTokens,
    supported_parameters: model.parameters ?? ['max_tokens', 'tools', 'tool_choice'],
    pricing: {
      prompt: perToken(prices.prompt) ?? '0',
      completion: perToken(prices.answer) ?? '0',
      audio: perToken(prices.audio),
      input_cache_write: perToken(prices.cacheWrite),
      input_cache_write_1h: perToken(prices.cacheWriteHour),
      image_output: perToken(prices.picture),
      audio_second: prices.second?.toFixed(9),
      character: prices.character?.toFixed(9),
    },
  }
}

function perToken(usdPerMillion: number | undefined): string | undefined {
  return usdPerMillion === undefined ? undefined : (usdPerMillion / 1e6).toFixed(9)
}
