import type { CatalogRecord, ImageSku, VideoSku } from '../../lib/model-record.ts'
import {
  addDecimals,
  largestDecimal,
  plainDecimal,
  signOf,
  timesDecimals,
} from '../../lib/decimal.ts'
import { type Fields, listOf } from '../../lib/fields.ts'

type PricedRecord = Pick<CatalogRecord, 'pricing' | 'video'>

const DEFAULT_SECONDS = 10
const FRAMES_PER_SECOND = 24

/**
 * The most that this video can cost, in USD: the dearest price that fits what is asked, at the
 * longest duration and largest picture where nothing is asked. Undefined: nobody told a price.
 */
export function videoPriceUsd(record: PricedRecord, asked: Fields): string | undefined {
  const { pricing, video } = record
  const seconds = secondsOf(asked, video?.durations ?? [])
  const skus = pricing.video_skus ?? []
  const costs = fitting(skus, asked).flatMap((sku) => videoCost(sku, asked, seconds) ?? [])
  if (pricing.video_second !== undefined) costs.push(timesDecimals(pricing.video_second, seconds))
  const dearest = largestDecimal(costs) ?? pricing.request
  if (dearest === undefined) return undefined
  const total = addDecimals(dearest, inputImages(skus, asked))
  return largestDecimal([total, ...costsOf(skus, 'minimum')])
}

function secondsOf(asked: Fields, durations: readonly number[]): string {
  const wish = asked.duration ?? asked.seconds
  const number = typeof wish === 'string' ? Number(wish) : wish
  const seconds =
    typeof number === 'number' && Number.isFinite(number) && number > 0
      ? number
      : Math.max(...durations, 0) || DEFAULT_SECONDS
  return plainDecimal(seconds) ?? String(DEFAULT_SECONDS)
}

/** Prices for the resolution and sound that are asked, where the list makes that difference. */
function fitting(skus: readonly VideoSku[], asked: Fields): readonly VideoSku[] {
  const resolution = wordOf(asked.resolution)
  const named = skus.filter((sku) => sku.resolution === resolution)
  const sized = resolution !== '' && named.length > 0 ? named : skus
  if (asked.generate_audio !== false) return sized
  const silent = sized.filter((sku) => sku.audio !== true)
  return silent.length > 0 ? silent : sized
}

function videoCost(sku: VideoSku, asked: Fields, seconds: string): string | undefined {
  if (sku.unit === 'second') return timesDecimals(sku.cost_usd, seconds)
  if (sku.unit === 'other') return sku.cost_usd
  const [width, height] = pixels(asked, sku.resolution)
  if (sku.unit === 'token') {
    const perSecond = Math.ceil((width * height * FRAMES_PER_SECOND) / 1024)
    return timesDecimals(sku.cost_usd, timesDecimals(String(perSecond), seconds))
  }
  if (sku.unit !== 'megapixel_second') return undefined
  const megapixels = String(Math.ceil((width * height) / 1_000_000))
  return timesDecimals(sku.cost_usd, timesDecimals(megapixels, seconds))
}

const PIXELS: Record<string, [number, number]> = {
  '480p': [854, 480],
  '720p': [1280, 720],
  '768p': [1366, 768],
  '1080p': [1920, 1080],
  '1k': [1024, 1024],
  '2k': [2560, 1440],
  '4k': [3840, 2160],
}

function pixels(asked: Fields, resolution: string | undefined): [number, number] {
  const size = /^(\d{2,5})x(\d{2,5})$/.exec(wordOf(asked.size))
  if (size) return [Number(size[1]), Number(size[2])]
  const name = wordOf(asked.resolution ?? resolution)
  return PIXELS[name] ?? PIXELS['1080p']!
}

function inputImages(skus: readonly VideoSku[], asked: Fields): string {
  const count = listOf(asked.frame_images).length + listOf(asked.input_references).length
  const each = largestDecimal(costsOf(skus, 'input_image')) ?? '0'
  return timesDecimals(each, String(count))
}

function costsOf(skus: readonly VideoSku[], unit: VideoSku['unit']): string[] {
  return skus.filter((sku) => sku.unit === unit).map((sku) => sku.cost_usd)
}

/** Tokens of one picture by quality, as published for the models that are priced by token. */
const PICTURE_TOKENS: Record<string, number> = { low: 408, medium: 1584, high: 6240 }
const DEFAULT_PICTURE_TOKENS = 4175

/** The most that these pictures can cost, in USD. Undefined: nobody told a price. */
export function imagePriceUsd(record: PricedRecord, n: number, asked: Fields): string | undefined {
  const { pricing } = record
  const skus = pricing.image_skus ?? []
  const each = largestDecimal(matching(skus, asked).flatMap((sku) => pictureCost(sku, asked) ?? []))
  const perToken = pricing.image_output
  const price =
    each ??
    (perToken !== undefined && signOf(perToken) > 0
      ? timesDecimals(perToken, String(pictureTokens(asked)))
      : pricing.request)
  if (price === undefined) return undefined
  const inputs = String(listOf(asked.input_references).length)
  const input = skus.filter((sku) => sku.billable.startsWith('input_') && sku.unit === 'image')
  const perInput = largestDecimal(input.map((sku) => sku.cost_usd)) ?? '0'
  return addDecimals(timesDecimals(price, String(n)), timesDecimals(perInput, inputs))
}

/** A variant (a quality, a tier) counts only for a request that names it, if one does. */
function matching(skus: readonly ImageSku[], asked: Fields): ImageSku[] {
  const outputs = skus.filter((sku) => sku.billable === 'output_image')
  const wishes = [asked.quality, asked.resolution, asked.size].map(wordOf)
  const named = outputs.filter(
    (sku) => sku.variant !== undefined && wishes.includes(sku.variant.toLowerCase()),
  )
  return named.length > 0 ? named : outputs
}

function pictureCost(sku: ImageSku, asked: Fields): string | undefined {
  if (sku.unit === 'image') return sku.cost_usd
  if (sku.unit === 'token') return timesDecimals(sku.cost_usd, String(pictureTokens(asked)))
  if (sku.unit !== 'megapixel') return undefined
  return timesDecimals(sku.cost_usd, String(megapixels(asked)))
}

function pictureTokens(asked: Fields): number {
  return PICTURE_TOKENS[wordOf(asked.quality)] ?? DEFAULT_PICTURE_TOKENS
}

const TIERS: Record<string, number> = { '512': 1, '1k': 2, '2k': 5, '4k': 17 }

function megapixels(asked: Fields): number {
  const size = /^(\d{2,5})x(\d{2,5})$/.exec(wordOf(asked.size))
  if (size) return Math.max(1, Math.ceil((Number(size[1]) * Number(size[2])) / 1_000_000))
  return TIERS[wordOf(asked.resolution ?? asked.size)] ?? TIERS['1k']!
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : ''
}
