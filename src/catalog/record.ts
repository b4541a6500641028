/** A model as an upstream lists it. The room that reads upstreams gives records of this shape. */
export type CatalogRecord = ModelFacts & {
  /** The bare catalog id. */
  id: string
} & ListedPrice

/** What a model is and can do, whatever it costs. */
export type ModelFacts = {
  /** The id to send to this upstream. */
  upstreamModel: string
  name: string
  description?: string | undefined
  /** Unix seconds. */
  created?: number | undefined
  contextLength?: number | undefined
  maxOutputTokens?: number | undefined
  inputModalities: string[]
  outputModalities: string[]
  supportedParameters: string[]
  supportedVoices: string[]
  /** What a video model takes, where the upstream says so. */
  video?: { durations: number[]; resolutions: string[] }
}

export type ListedPrice = {
  pricing: Pricing
  priceBasis: string
  /** `unpriced`: a price is needed and nobody told one. It must not be served. */
  priced: Priced
}

export type Priced = 'paid' | 'free' | 'unpriced'

/** US dollars per unit, exact decimals. */
export type Pricing = {
  prompt?: string
  completion?: string
  request?: string
  image?: string
  image_output?: string
  audio?: string
  audio_output?: string
  input_cache_read?: string
  input_cache_write?: string
  input_cache_write_1h?: string
  internal_reasoning?: string
  web_search?: string
  audio_second?: string
  character?: string
  video_second?: string
  overrides?: PriceOverride[]
  video_skus?: VideoSku[]
  image_skus?: ImageSku[]
}

type PriceOverride = {
  min_prompt_tokens?: number
  utc_start?: number
  utc_end?: number
  utc_days?: number[]
  prices: Record<string, string>
}

type VideoSku = {
  sku: string
  unit: 'second' | 'token' | 'megapixel_second' | 'input_image' | 'minimum' | 'other'
  cost_usd: string
  resolution?: string
  audio?: boolean
}

type ImageSku = { billable: string; unit: string; cost_usd: string; variant?: string }
