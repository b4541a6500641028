/** A model that talks as long as it is allowed to. Prices: US dollars for a million tokens. */
export type GreedyModel = {
  id: string
  promptUsd: number
  answerUsd: number
  mostTokens: number
  /** Two fifths of what it says are thoughts that nobody sees, and that are paid for. */
  thinks?: boolean
  /** It speaks in words, of four bytes to the token; the others have a token in every byte. */
  words?: boolean
  /** It takes so long for each credit's worth, however long a caller waits. */
  slowMs?: number
}

/** Dear, average, cheap, one that thinks, one that speaks in words, and one that takes longer than the clocks of its upstream. */
export const GREEDY_MODELS: readonly GreedyModel[] = [
  { id: 'mlafi/ghali', promptUsd: 15, answerUsd: 75, mostTokens: 16_384 },
  { id: 'mlafi/wastani', promptUsd: 2.5, answerUsd: 10, mostTokens: 16_384 },
  { id: 'mlafi/rahisi', promptUsd: 0.15, answerUsd: 0.6, mostTokens: 65_536 },
  { id: 'mlafi/fikra', promptUsd: 1.1, answerUsd: 4.4, mostTokens: 32_768, thinks: true },
  { id: 'mlafi/maneno', promptUsd: 2.5, answerUsd: 10, mostTokens: 16_384, words: true },
  { id: 'mlafi/pole', promptUsd: 2.5, answerUsd: 10, mostTokens: 16_384, words: true, slowMs: 250 },
]
/** The clocks of the upstream of slow models: minutes, in fast motion. */
export const SLOW_CLOCKS = { first_byte_ms: 4_000, idle_ms: 4_000, total_ms: 6_000 }
export const VECTORS = { id: 'mlafi/vekta', promptUsd: 0.5 }
/** Each picture is larger than an answer that used to be kept. */
export const PICTURE = { id: 'mlafi/picha', usd: 0.005 }

/** `USD_TO_CREDIT_RATE` as it is by default, with no margin: what an operator pays is the price. */
const CREDITS_PER_USD = 3_000

/** What so many tokens cost at the catalog's price, in microcredits. */
export function worth(tokens: number, usdPerMillion: number): bigint {
  return BigInt(Math.round(tokens * usdPerMillion * CREDITS_PER_USD))
}

export function worthOfUsd(usd: number): bigint {
  return BigInt(Math.round(usd * CREDITS_PER_USD * 1e6))
}

/** The catalog's records, as an operator writes them into `UPSTREAMS_FILE`. */
export function quickRecords(): unknown[] {
  return [
    ...GREEDY_MODELS.filter(({ slowMs }) => slowMs === undefined).map(chatRecord),
    {
      id: VECTORS.id,
      output_modalities: ['embeddings'],
      context_length: 200_000,
      pricing: { prompt: perToken(VECTORS.promptUsd), completion: '0' },
    },
    { id: PICTURE.id, output_modalities: ['image'], pricing: { request: String(PICTURE.usd) } },
  ]
}

export function slowRecords(): unknown[] {
  return GREEDY_MODELS.filter(({ slowMs }) => slowMs !== undefined).map(chatRecord)
}

function chatRecord(model: GreedyModel) {
  const { id, promptUsd, answerUsd, mostTokens, thinks } = model
  return {
    id,
    input_modalities: ['text', 'file'],
    context_length: 200_000,
    max_output_tokens: mostTokens,
    supported_parameters: ['max_tokens', ...(thinks ? ['reasoning', 'include_reasoning'] : [])],
    pricing: {
      prompt: perToken(promptUsd),
      completion: perToken(answerUsd),
      ...(thinks ? { internal_reasoning: perToken(answerUsd) } : {}),
    },
  }
}

function perToken(usdPerMillion: number): string {
  return (usdPerMillion / 1e6).toFixed(9)
}
