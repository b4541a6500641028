/** A model as an upstream lists it, in our words. Prices are exact decimals in USD per unit. */
export type CatalogRecord = {
  /** The id under which this upstream serves it; also the bare catalog id. */
  id: string
  canonicalSlug?: string | undefined
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
  pricing: Pricing
  priceBasis: PriceBasis
  /** `unpriced`: a price is needed and nobody told one. It must not be served. */
  priced: 'paid' | 'free' | 'unpriced'
}

/** What the `prompt` price (or the media price list) counts. */
export type PriceBasis =
  | 'token'
  | 'second'
  | 'character'
  | 'image'
  | 'megapixel'
  | 'video_second'
  | 'video_token'
  | 'unknown'

export type Pricing = {
  prompt?: string
  completion?: string
  request?: string
  /** Per input image. */
  image?: string
  /** Per token of an image that comes out, whatever the documents say. */
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
  /** Long-context and time-of-day prices; a later match wins for each key it names. */
  overrides?: PriceOverride[]
  /** The video price list as published, but in USD: `cents_` names are converted and renamed. */
  video_skus?: Record<string, string>
  image_skus?: ImageSku[]
}

export type PriceOverride = {
  /** In force when the prompt has more tokens than this. */
  min_prompt_tokens?: number
  utc_start?: number
  utc_end?: number
  utc_days?: number[]
  prices: Record<string, string>
}

export type ImageSku = {
  billable: string
  unit: string
  cost_usd: string
  variant?: string
}

/** A bad record is skipped and counted; it never spoils the rest. */
export type CatalogReading = { records: CatalogRecord[]; skipped: number }
