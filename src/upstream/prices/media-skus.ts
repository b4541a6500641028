import { compareDecimals, plainDecimal, signOf, timesDecimals } from '../../lib/decimal.ts'
import { fieldsOf, isFields, listOf, textOf } from '../../lib/json.ts'
import type { ImageSku, VideoSku } from '../../catalog/model-record.ts'

/** `{sku: price}` of a video model. Names with cents are in cents, others in dollars. */
export function readVideoSkus(raw: unknown): VideoSku[] {
  return Object.entries(fieldsOf(raw)).flatMap(([sku, value]) => {
    const price = plainDecimal(value)
    if (price === undefined || signOf(price) < 0) return []
    const name = sku.toLowerCase()
    const usd = name.includes('cents_per') ? timesDecimals(price, '0.01') : price
    return [{ sku, unit: unitOf(name), cost_usd: usd, ...resolutionOf(name), ...audioOf(name) }]
  })
}

function unitOf(name: string): VideoSku['unit'] {
  if (name.includes('minimum')) return 'minimum'
  if (name.includes('megapixel')) return 'megapixel_second'
  if (name.startsWith('video_token')) return 'token'
  if (name.includes('image_input') || name === 'reference_images') return 'input_image'
  return name.includes('second') ? 'second' : 'other'
}

function resolutionOf(name: string): { resolution?: string } {
  const found = /_(\d{3,4}p|[1-8]k)(?=_|$)/.exec(name)
  return found ? { resolution: found[1]! } : {}
}

function audioOf(name: string): { audio?: boolean } {
  if (name.includes('without_audio')) return { audio: false }
  return name.includes('with_audio') ? { audio: true } : {}
}

/** The highest price of all endpoints counts, since any may serve the call. */
export function readImageSkus(json: unknown): ImageSku[] {
  const dearest = new Map<string, ImageSku>()
  const endpoints = listOf(fieldsOf(fieldsOf(json).data ?? json).endpoints)
  for (const sku of endpoints.flatMap((one) => listOf(fieldsOf(one).pricing).flatMap(readSku))) {
    const key = [sku.billable, sku.unit, sku.variant ?? ''].join(' ')
    const known = dearest.get(key)
    if (!known || compareDecimals(sku.cost_usd, known.cost_usd) > 0) dearest.set(key, sku)
  }
  return [...dearest.values()]
}

function readSku(raw: unknown): ImageSku[] {
  if (!isFields(raw)) return []
  const [billable, unit, variant] = [textOf(raw.billable), textOf(raw.unit), textOf(raw.variant)]
  const price = plainDecimal(raw.cost_usd)
  if (billable === undefined || unit === undefined) return []
  if (price === undefined || signOf(price) < 0) return []
  return [{ billable, unit, cost_usd: price, ...(variant === undefined ? {} : { variant }) }]
}
