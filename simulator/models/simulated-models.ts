type Kind = 'chat' | 'image' | 'embeddings' | 'transcription' | 'speech' | 'video'

/** A model as the simulator knows it; `listing.ts` puts it into the wire format. */
export type SimulatedModel = {
  id: string
  name: string
  kind: Kind
  inputs: string[]
  outputs: string[]
  context: number
  maxOutput: number | null
  /** USD per unit as decimal strings, in OpenRouter's keys. */
  pricing: Record<string, unknown>
  parameters?: string[]
  voices?: string[]
  /** Videos: `pricing_skus`. */
  skus?: Record<string, string>
  durations?: number[]
  resolutions?: string[]
  /** Images: what one image costs, listed only with the image endpoints. */
  imageUsd?: number
  expires?: string
}

const CHAT_PARAMETERS = [
  'max_tokens',
  'temperature',
  'top_p',
  'stop',
  'seed',
  'tools',
  'tool_choice',
]
const ALL_PARAMETERS = [
  ...CHAT_PARAMETERS,
  'response_format',
  'structured_outputs',
  'reasoning',
  'include_reasoning',
]
const FIRST_CREATED_AT = 1_760_000_000

/** Unix seconds of the listing: the same at every start, so that a sync finds nothing new. */
export const createdAt = (index: number): number => FIRST_CREATED_AT + index * 86_400

const text = (id: string, name: string, more: Partial<SimulatedModel>): SimulatedModel => ({
  id,
  name,
  kind: 'chat',
  inputs: ['text'],
  outputs: ['text'],
  context: 131_072,
  maxOutput: 8_192,
  pricing: { prompt: '0.000001', completion: '0.000003' },
  parameters: CHAT_PARAMETERS,
  ...more,
})

/** The models on offer: every modality, paid, free, without a price, and one past its expiry. */
export const SIMULATED_MODELS: readonly SimulatedModel[] = [
  text('sim/hekima', 'Sim: Hekima', {
    parameters: ALL_PARAMETERS,
    pricing: {
      prompt: '0.0000025',
      completion: '0.00001',
      request: '0',
      image: '0',
      input_cache_read: '0.00000025',
      input_cache_write: '0.000003125',
      internal_reasoning: '0.00001',
    },
  }),
  text('sim/hekima-mini', 'Sim: Hekima Mini', {
    pricing: { prompt: '0.00000015', completion: '0.0000006' },
  }),
  text('sim/hekima-mini:free', 'Sim: Hekima Mini (free)', {
    pricing: { prompt: '0', completion: '0' },
    context: 32_768,
    maxOutput: 2_048,
  }),
  text('sim/macho', 'Sim: Macho', {
    parameters: ALL_PARAMETERS,
    inputs: ['text', 'image', 'file', 'audio', 'video'],
    context: 1_048_576,
    maxOutput: 65_535,
    pricing: {
      prompt: '0.0000003',
      completion: '0.0000025',
      image: '0.0000003',
      audio: '0.000001',
      overrides: [{ min_prompt_tokens: 200_000, prompt: '0.0000006', completion: '0.0000035' }],
    },
  }),
  text('sim/picha-mazungumzo', 'Sim: Picha Mazungumzo', {
    inputs: ['image', 'text'],
    outputs: ['image', 'text'],
    context: 32_768,
    maxOutput: 32_768,
    parameters: ['max_tokens', 'temperature'],
    pricing: { prompt: '0.0000003', completion: '0.0000025', image_output: '0.00003' },
    imageUsd: 0.0387,
  }),
  media('sim/picha', 'Sim: Picha', 'image', {
    inputs: ['text', 'image'],
    outputs: ['image'],
    imageUsd: 0.04,
  }),
  media('sim/vekta', 'Sim: Vekta', 'embeddings', {
    outputs: ['embeddings'],
    context: 8_192,
    pricing: { prompt: '0.00000002', completion: '0', request: '0', image: '0' },
  }),
  media('sim/sikia', 'Sim: Sikia', 'transcription', {
    inputs: ['audio'],
    outputs: ['transcription'],
    parameters: ['temperature', 'response_format'],
    pricing: { prompt: '0.0001', completion: '0' },
  }),
  media('sim/sikia-mini', 'Sim: Sikia Mini', 'transcription', {
    inputs: ['audio'],
    outputs: ['transcription'],
    pricing: { prompt: '0.00000125', completion: '0.000005' },
  }),
  media('sim/sema', 'Sim: Sema', 'speech', {
    outputs: ['speech'],
    context: 15_000,
    pricing: { prompt: '0.000015', completion: '0' },
    voices: ['asha', 'baraka', 'neema', 'juma'],
  }),
  media('sim/filamu', 'Sim: Filamu', 'video', {
    inputs: ['text', 'image'],
    outputs: ['video'],
    durations: [4, 6, 8],
    resolutions: ['720p', '1080p'],
    skus: {
      duration_seconds_with_audio: '0.12',
      duration_seconds_with_audio_720p: '0.10',
      duration_seconds_without_audio: '0.10',
      duration_seconds_without_audio_720p: '0.08',
    },
  }),
  media('sim/filamu-senti', 'Sim: Filamu Senti', 'video', {
    outputs: ['video'],
    durations: [5, 10],
    resolutions: ['480p', '720p'],
    skus: {
      cents_per_second_output_480p: '4',
      cents_per_second_output_720p: '9',
      minimum_cents_per_generation: '25',
    },
  }),
  text('sim/otomatiki', 'Sim: Otomatiki (router)', {
    pricing: { prompt: '-1', completion: '-1' },
  }),
  text('sim/mstaafu', 'Sim: Mstaafu (retired)', { expires: '2025-01-01' }),
]

function media(id: string, name: string, kind: Kind, more: Partial<SimulatedModel>) {
  const model: SimulatedModel = {
    id,
    name,
    kind,
    inputs: ['text'],
    outputs: [],
    context: 0,
    maxOutput: null,
    pricing: { prompt: '0', completion: '0' },
    parameters: [],
    ...more,
  }
  return model
}
