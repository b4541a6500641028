import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import type { CatalogReading, ImageSku } from '../../catalog/model-record.ts'
import type { HttpCall, SendJson } from '../contract/contract.ts'
import { UpstreamError, StatusError } from '../contract/upstream-error.ts'
import { readImageSkus, readVideoSkus } from '../prices/media-skus.ts'
import { readRecords, readVideoFacts, type Extras } from '../prices/record.ts'

const AT_ONCE = 4

/**
 * The list has only text models unless all are asked for, and zero prices for video and image
 * models, whose prices are in other lists.
 */
export async function readCatalog(send: SendJson): Promise<CatalogReading> {
  const models = await send(get('/models?output_modalities=all'))
  const list = fieldsOf(models.json).data
  if (!Array.isArray(list)) throw new UpstreamError('garbage', 'catalog')
  const videos = byId(await listOrNone(send, '/videos/models'))
  const images = await imagePrices(send, await listOrNone(send, '/images/models'))
  return readRecords(list, (id) => extrasOf(videos.get(id), images.get(id)))
}

function get(path: string): HttpCall {
  return { method: 'GET', path, expects: 'json', timeouts: { firstByteMs: 30_000 } }
}

async function listOrNone(send: SendJson, path: string): Promise<Fields[]> {
  return listOf(fieldsOf(await jsonOrNone(send, path)).data).filter(isFields)
}

/**
 * A missing price list leaves its models without prices. One that cannot be read fails the reading:
 * prices must not vanish with a broken connection.
 */
async function jsonOrNone(send: SendJson, path: string): Promise<unknown> {
  try {
    return (await send(get(path))).json
  } catch (error) {
    if (error instanceof StatusError && NOT_THERE.has(error.status)) return undefined
    throw error
  }
}

const NOT_THERE = new Set([400, 404, 405, 410])

function byId(list: Fields[]): Map<string, Fields> {
  return new Map(list.flatMap((item) => (typeof item.id === 'string' ? [[item.id, item]] : [])))
}

async function imagePrices(send: SendJson, list: Fields[]): Promise<Map<string, ImageSku[]>> {
  const prices = new Map<string, ImageSku[]>()
  const ids = list.flatMap((item) => textOf(item.id) ?? [])
  const worker = async () => {
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      const skus = await imageSkus(send, id)
      if (skus.length > 0) prices.set(id, skus)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return prices
}

async function imageSkus(send: SendJson, id: string): Promise<ImageSku[]> {
  const path = id.split('/').map(encodeURIComponent).join('/')
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return []
  return readImageSkus(await jsonOrNone(send, `/images/models/${path}/endpoints`))
}

function extrasOf(video: Fields | undefined, images: ImageSku[] | undefined): Extras {
  const extras: Extras = {}
  if (video) {
    extras.video_skus = readVideoSkus(video.pricing_skus)
    extras.video = readVideoFacts(video)
  }
  if (images) extras.image_skus = images
  return extras
}
