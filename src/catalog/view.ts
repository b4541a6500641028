import { inCredits, ownPrice } from '../ledger/money.ts'
import { compare, decimal, decimalText, parseDecimal, times, type Decimal } from '../lib/decimal.ts'
import type { Pricing } from './model-record.ts'
import type { CatalogModel, PriceSnapshot } from './catalog-index.ts'

/** The prices that callers are shown, in this order. */
export const PRICE_KEYS = [
  'prompt',
  'completion',
  'request',
  'image',
  'image_token',
  'image_output',
  'audio',
  'audio_output',
  'input_cache_read',
  'input_audio_cache',
  'input_cache_write',
  'input_cache_write_30m',
  'input_cache_write_1h',
  'input_cache_write_12h',
  'internal_reasoning',
  'audio_second',
  'audio_minute',
  'audio_hour',
  'character',
  'video_second',
] as const

export type PriceKey = (typeof PRICE_KEYS)[number]

type Prices<Price> = Partial<Record<PriceKey, Price>>
/** Where several apply, a later one wins for each price that it names. */
type Tier<Price> = Prices<Price> & {
  above_prompt_tokens?: number | undefined
  utc_start?: number | undefined
  utc_end?: number | undefined
  utc_days?: number[] | undefined
}
type ShownPrices<Price> = Prices<Price> & { tiers?: Tier<Price>[] | undefined }

export type ModelView = {
  id: string
  object: 'model'
  /** What Anthropic's clients read: the same again, under their names. */
  type: 'model'
  display_name: string
  created_at: string
  lifecycle: 'active'
  capabilities: null
  line: null
  deprecated_at: null
  retires_at: null
  max_input_tokens: number | null
  max_tokens: number | null
  created: number
  owned_by: string
  resource_id: string
  name: string
  description?: string | undefined
  context_length?: number | undefined
  max_output_tokens?: number | undefined
  input_modalities: string[]
  output_modalities: string[]
  supported_parameters: string[]
  supported_voices?: string[] | undefined
  supported_durations?: number[] | undefined
  supported_resolutions?: string[] | undefined
  supported_aspect_ratios?: string[] | undefined
  supported_sizes?: string[] | undefined
  /** What the customer pays: with the operator's margin. */
  pricing: ShownPrices<string>
  pricing_credits: ShownPrices<number>
  is_free: boolean
}

/** A model as callers see it: no upstream is named. */
export function viewModel(model: CatalogModel): ModelView {
  const { price } = model
  return {
    id: model.id,
    object: 'model',
    type: 'model',
    display_name: model.name,
    created_at: rfc3339(model.created ?? 0),
    lifecycle: 'active',
    capabilities: null,
    line: null,
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: model.contextLength || null,
    max_tokens: model.maxOutputTokens || null,
    created: model.created ?? 0,
    owned_by: model.id.split('/')[0]!,
    resource_id: model.resourceId,
    name: model.name,
    description: model.description || undefined,
    context_length: model.contextLength || undefined,
    max_output_tokens: model.maxOutputTokens || undefined,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    supported_parameters: model.supportedParameters,
    supported_voices: named(model.supportedVoices),
    supported_durations: named(model.video?.durations),
    supported_resolutions: named(model.video?.resolutions),
    supported_aspect_ratios: named(model.video?.aspectRatios),
    supported_sizes: named(model.video?.sizes),
    pricing: shownPrices(price, (usd) => decimalText(times(usd, price.margin))),
    // Exact in the arithmetic; a JSON number only at the end.
    pricing_credits: shownPrices(price, (usd) => Number(decimalText(inCredits(usd, price)))),
    is_free: model.priced === 'free',
  }
}

function named<Item>(items: Item[] = []): Item[] | undefined {
  return items.length > 0 ? items : undefined
}

/** From Unix seconds, which an upstream told us. */
function rfc3339(seconds: number): string {
  const at = new Date(seconds * 1_000)
  return Number.isNaN(at.getTime()) ? rfc3339(0) : at.toISOString()
}

function shownPrices<Price>(
  { pricing }: PriceSnapshot,
  paid: (usd: Decimal) => Price,
): ShownPrices<Price> {
  const { overrides, ...plain } = { ...fromLists(pricing), ...pricing }
  const shown: ShownPrices<Price> = pricesIn(plain as Named, paid)
  if (overrides !== undefined) {
    shown.tiers = overrides.map(({ prices, min_prompt_tokens: above_prompt_tokens, ...hours }) => ({
      above_prompt_tokens,
      ...hours,
      ...pricesIn(prices, paid),
    }))
  }
  return shown
}

type Named = Readonly<Record<string, string | undefined>>

function pricesIn<Price>(list: Named, paid: (usd: Decimal) => Price): Prices<Price> {
  const shown: Prices<Price> = {}
  for (const key of PRICE_KEYS) {
    const price = parseDecimal(ownPrice(list, key) ?? '')
    if (price !== undefined) shown[key] = paid(price)
  }
  return shown
}

/** Images and videos are priced by lists: what is shown is the highest price of a plain order. */
function fromLists({ video_skus: videos = [], image_skus: images = [] }: Pricing): Pricing {
  const second = highest(videos.filter((sku) => sku.unit === 'second').map((sku) => sku.cost_usd))
  const image = highest(
    images
      .filter((sku) => sku.billable === 'output_image' && sku.unit === 'image')
      .map((sku) => sku.cost_usd),
  )
  return { ...(second ? { video_second: second } : {}), ...(image ? { image } : {}) }
}

function highest(prices: string[]): string | undefined {
  return prices.reduce<string | undefined>((best, price) => {
    if (best === undefined) return price
    return compare(decimal(price), decimal(best)) > 0 ? price : best
  }, undefined)
}
