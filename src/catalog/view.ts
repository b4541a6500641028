import { compare, decimal, decimalText, parseDecimal, times } from '../lib/decimal.ts'
import type { Pricing } from './model-record.ts'
import type { CatalogModel, PriceSnapshot } from './catalog-index.ts'

/** The prices that callers are shown, in this order. */
const SHOWN = [
  'prompt',
  'completion',
  'request',
  'image',
  'image_output',
  'audio',
  'audio_output',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'internal_reasoning',
  'audio_second',
  'audio_minute',
  'audio_hour',
  'character',
  'video_second',
] as const

type PriceKey = (typeof SHOWN)[number]

export type ModelView = {
  id: string
  object: 'model'
  /** What Anthropic's clients read: the same again, under their names. */
  type: 'model'
  display_name: string
  created_at: string
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
  pricing: Partial<Record<PriceKey, string>>
  pricing_credits: Partial<Record<PriceKey, number>>
  is_free: boolean
}

/** A model as callers see it: no upstream is named. */
export function viewModel(model: CatalogModel): ModelView {
  const pricing = shownPrices(model.price.pricing)
  return {
    id: model.id,
    object: 'model',
    type: 'model',
    display_name: model.name,
    created_at: rfc3339(model.created ?? 0),
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
    supported_voices: model.supportedVoices.length > 0 ? model.supportedVoices : undefined,
    pricing,
    pricing_credits: inCredits(pricing, model.price),
    is_free: model.priced === 'free',
  }
}

/** From Unix seconds, which an upstream told us. */
function rfc3339(seconds: number): string {
  const at = new Date(seconds * 1_000)
  return Number.isNaN(at.getTime()) ? rfc3339(0) : at.toISOString()
}

function shownPrices(pricing: Pricing): ModelView['pricing'] {
  const shown: ModelView['pricing'] = {}
  const whole: Pricing = { ...fromLists(pricing), ...pricing }
  for (const key of SHOWN) {
    const price = parseDecimal(whole[key] ?? '')
    if (price !== undefined) shown[key] = decimalText(price)
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

/** Exact in the arithmetic; a JSON number only at the end. */
function inCredits(
  pricing: ModelView['pricing'],
  price: PriceSnapshot,
): ModelView['pricing_credits'] {
  const credits: ModelView['pricing_credits'] = {}
  for (const key of SHOWN) {
    const usd = pricing[key]
    if (usd === undefined) continue
    credits[key] = Number(decimalText(times(decimal(usd), price.creditsPerUsd, price.margin)))
  }
  return credits
}
