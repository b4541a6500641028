import {
  addDecimals,
  largestDecimal,
  plainDecimal,
  signOf,
  timesDecimals,
} from '../../lib/decimal.ts'
import { listOf, type Fields } from '../../lib/json.ts'
import type { CatalogRecord, ImageSku, VideoSku } from '../../catalog/model-record.ts'

type PricedRecord = Pick<CatalogRecord, 'pricing' | 'video'>

const DEFAULT_SECONDS = 10
const FRAMES_PER_SECOND = 24

/**
 * The highest cost of this video in USD: the highest price that fits, with the longest duration and
 * largest size where the request names none. Undefined: no price.
 */
export function videoPriceUsd(record: PricedRecord, request: Fields): string | undefined {
  const { pricing, video } = record
  const seconds = secondsOf(request, video?.durations ?? [])
  const skus = pricing.video_skus ?? []
  const costs = fitting(skus, request).flatMap((sku) => videoCost(sku, request, seconds) ?? [])
  if (pricing.video_second !== undefined) costs.push(timesDecimals(pricing.video_second, seconds))
  const dearest = largestDecimal(costs) ?? pricing.request
  if (dearest === undefined) return undefined
  const total = addDecimals(dearest, inputImages(skus, request))
  return largestDecimal([total, ...costsOf(skus, 'minimum')])
}

function secondsOf(request: Fields, durations: readonly number[]): string {
  const duration = request.duration ?? request.seconds
  const number = typeof duration === 'string' ? Number(duration) : duration
  const asked = typeof number === 'number' && Number.isFinite(number) && number > 0
  const seconds = asked
    ? madeSeconds(number, durations)
    : Math.max(...durations, 0) || DEFAULT_SECONDS
  return plainDecimal(seconds) ?? String(DEFAULT_SECONDS)
}

/** The next longer duration that the model makes, else whole seconds. */
function madeSeconds(asked: number, durations: readonly number[]): number {
  const longer = durations.filter((duration) => duration >= asked)
  return longer.length > 0 ? Math.min(...longer) : Math.ceil(asked)
}

function fitting(skus: readonly VideoSku[], request: Fields): readonly VideoSku[] {
  const resolution = wordOf(request.resolution)
  const named = skus.filter((sku) => sku.resolution === resolution)
  const sized = resolution !== '' && named.length > 0 ? named : skus
  if (request.generate_audio !== false) return sized
  const silent = sized.filter((sku) => sku.audio !== true)
  return silent.length > 0 ? silent : sized
}

function videoCost(sku: VideoSku, request: Fields, seconds: string): string | undefined {
  if (sku.unit === 'second') return timesDecimals(sku.cost_usd, seconds)
  if (sku.unit === 'other') return sku.cost_usd
  const [width, height] = pixels(request, sku.resolution)
  if (sku.unit === 'token') {
    const perSecond = Math.ceil((width * height * FRAMES_PER_SECOND) / 1024)
    return timesDecimals(sku.cost_usd, timesDecimals(String(perSecond), seconds))
  }
  if (sku.unit !== 'megapixel_second') return undefined
  const scale = Math.max(1, Number(request.upscale_factor) || 1)
  const megapixels = String(Math.ceil((width * height * scale * scale) / 1_000_000))
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

function pixels(request: Fields, resolution: string | undefined): [number, number] {
  const size = fieldPixels(request.size)
  // Models make nothing smaller than their smallest size.
  if (size) return size[0] * size[1] < SMALLEST[0] * SMALLEST[1] ? SMALLEST : size
  return resolutionPixels(request.resolution ?? resolution) ?? PIXELS['1080p']!
}

const SMALLEST = PIXELS['480p']!

export function fieldPixels(size: unknown): [number, number] | undefined {
  const found = /^(\d{2,5})x(\d{2,5})$/.exec(wordOf(size))
  return found ? [Number(found[1]), Number(found[2])] : undefined
}

export function resolutionPixels(resolution: unknown): [number, number] | undefined {
  const name = wordOf(resolution)
  return Object.hasOwn(PIXELS, name) ? PIXELS[name] : undefined
}

function inputImages(skus: readonly VideoSku[], request: Fields): string {
  const count = listOf(request.frame_images).length + listOf(request.input_references).length
  const each = largestDecimal(costsOf(skus, 'input_image')) ?? '0'
  return timesDecimals(each, String(count))
}

function costsOf(skus: readonly VideoSku[], unit: VideoSku['unit']): string[] {
  return skus.filter((sku) => sku.unit === unit).map((sku) => sku.cost_usd)
}

/** Published tokens of a picture by quality. */
const PICTURE_TOKENS: Record<string, number> = { low: 408, medium: 1584, high: 6240 }
const DEFAULT_PICTURE_TOKENS = 4175

export type PicturePrompt = { textTokens: number; referenceTokens: number; references: number }

/**
 * The highest cost of these pictures in USD, with the prompt, which some upstreams read once for
 * each. Undefined: no price.
 */
export function imagePriceUsd(
  record: PricedRecord,
  n: number,
  request: Fields,
  sent: PicturePrompt,
): string | undefined {
  const { pricing } = record
  const skus = pricing.image_skus ?? []
  const each = largestDecimal(
    matching(skus, request).flatMap((sku) => pictureCost(sku, request) ?? []),
  )
  const perToken = pricing.image_output
  const price =
    each ??
    (perToken !== undefined && signOf(perToken) > 0
      ? timesDecimals(perToken, String(pictureTokens(request)))
      : pricing.request)
  if (price === undefined) return undefined
  return timesDecimals(addDecimals(price, picturePromptUsd(record, sent)), String(n))
}

/** For references priced by their size. */
const REFERENCE_MEGAPIXELS = '4'

export function picturePromptUsd({ pricing }: PricedRecord, sent: PicturePrompt): string {
  const skus = (pricing.image_skus ?? []).filter((sku) => sku.billable.startsWith('input_'))
  const costs = (unit: string, text: boolean) =>
    skus
      .filter((sku) => sku.unit === unit && (sku.billable === 'input_text') === text)
      .map((sku) => sku.cost_usd)
  const perWord = largestDecimal([...costs('token', true), pricing.prompt ?? '0'])!
  const perToken = largestDecimal([...costs('token', false), pricing.prompt ?? '0'])!
  const perMegapixel = costs('megapixel', false).map((usd) =>
    timesDecimals(usd, REFERENCE_MEGAPIXELS),
  )
  const own = [...costs('image', false), ...perMegapixel, pricing.image ?? '0']
  const perReference = largestDecimal(own)!
  const tokens = addDecimals(
    timesDecimals(perWord, String(sent.textTokens)),
    timesDecimals(perToken, String(sent.referenceTokens)),
  )
  return addDecimals(tokens, timesDecimals(perReference, String(sent.references)))
}

/** A variant (a quality, a tier) counts only if the request names it. */
function matching(skus: readonly ImageSku[], request: Fields): ImageSku[] {
  const outputs = skus.filter((sku) => sku.billable === 'output_image')
  const requested = [request.quality, request.resolution, request.size].map(wordOf)
  const named = outputs.filter(
    (sku) => sku.variant !== undefined && requested.includes(sku.variant.toLowerCase()),
  )
  return named.length > 0 ? named : outputs
}

function pictureCost(sku: ImageSku, request: Fields): string | undefined {
  if (sku.unit === 'image') return sku.cost_usd
  if (sku.unit === 'token') return timesDecimals(sku.cost_usd, String(pictureTokens(request)))
  if (sku.unit !== 'megapixel') return undefined
  return timesDecimals(sku.cost_usd, String(megapixels(request)))
}

function pictureTokens(request: Fields): number {
  return PICTURE_TOKENS[wordOf(request.quality)] ?? DEFAULT_PICTURE_TOKENS
}

const TIERS: Record<string, number> = { '512': 1, '1k': 2, '2k': 5, '4k': 17 }

/** The larger of two fields counts. */
function megapixels(request: Fields): number {
  const size = fieldPixels(request.size)
  const exact = size ? Math.max(1, Math.ceil((size[0] * size[1]) / 1_000_000)) : 0
  const tiers = [request.resolution, request.size].map((tier) => TIERS[wordOf(tier)] ?? 0)
  return Math.max(exact, ...tiers) || TIERS['1k']!
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : ''
}
