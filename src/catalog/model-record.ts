import type { PriceList } from '../ledger/money.ts'

/** A model as an upstream lists it, in our words: what one room reads and another keeps. */
export type CatalogRecord = ModelFacts & {
  /** The bare catalog id. */
  id: string
} & ListedPrice

/** What a model is and can do, whatever it costs. */
export type ModelFacts = {
  /** The id to send to this upstream: the same, unless a hand-written record says otherwise. */
  upstreamModel: string
  name: string
  description?: string | undefined
  /** Unix seconds. */
  created?: number | undefined
  /** Unix seconds: from then on the upstream does not serve it. */
  expires?: number | undefined
  contextLength?: number | undefined
  maxOutputTokens?: number | undefined
  inputModalities: string[]
  outputModalities: string[]
  supportedParameters: string[]
  supportedVoices: string[]
  /** What a video model takes, where the upstream says so. */
  video?: VideoFacts | undefined
}

export type VideoFacts = {
  durations: number[]
  resolutions: string[]
  aspectRatios?: string[]
  /** In pixels, such as 1280x720. */
  sizes?: string[]
}

export type ListedPrice = {
  pricing: Pricing
  priceBasis: PriceBasis
  /** `unpriced`: a price is needed and nobody told one. It must not be served. */
  priced: Priced
}

export type Priced = 'paid' | 'free' | 'unpriced'

/** What the `prompt` price (or the media price list) counts. */
export type PriceBasis =
  | 'token'
  | 'second'
  | 'minute'
  | 'hour'
  | 'character'
  | 'image'
  | 'megapixel'
  | 'video_second'
  | 'video_token'
  | 'unknown'

/** Exact decimals, in US dollars per unit. */
export type Pricing = PriceList & {
  web_search?: string
  audio_second?: string
  /** With the basis `unknown` the unit was not stated, but read from the size of the price. */
  audio_minute?: string
  audio_hour?: string
  character?: string
  video_second?: string
  /** The video price list as published, but every price in USD. */
  video_skus?: VideoSku[]
  image_skus?: ImageSku[]
}

export type VideoSku = {
  /** Its published name. */
  sku: string
  unit: 'second' | 'token' | 'megapixel_second' | 'input_image' | 'minimum' | 'other'
  cost_usd: string
  /** `480p` … `4k`, lower case; left out when the price holds for any. */
  resolution?: string
  /** The price with (true) or without (false) sound; left out when it holds for both. */
  audio?: boolean
}

export type ImageSku = {
  billable: string
  unit: string
  cost_usd: string
  variant?: string
}

/** A bad record is skipped and counted; it never spoils the rest. */
export type CatalogReading = { records: CatalogRecord[]; skipped: number }
