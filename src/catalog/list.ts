import { LRUCache } from 'lru-cache'
import { invalidField } from '../lib/failure.ts'
import { sha256 } from '../lib/secrets.ts'
import type { CatalogModel, CatalogIndex } from './catalog-index.ts'
import { type ModelView, viewModel } from './view.ts'

export type ListQuery = {
  outputs: readonly string[]
  inputs: readonly string[]
  parameters: readonly string[]
  /** Words to look for in id, name and description. */
  text: string
  includeFree: boolean
  limit: number | undefined
  offset: number
  /** The list begins after this model, or ends before that one. */
  after: string | undefined
  before: string | undefined
  /** Which members of a model are wanted; empty means all. */
  fields: readonly string[]
}

/** A list ready to be sent: JSON text, and the mark by which a client knows it again. */
export type ModelList = {
  json: string
  etag: string
  total: number
  hasMore: boolean
  /** The ids of the first and the last model; null in an empty list. */
  ends: { first_id: string | null; last_id: string | null }
}

/** Lists are made once for each query and each state of the catalog. */
const LARGEST_BYTES = 32_000_000
const lists = new WeakMap<CatalogIndex, LRUCache<string, ModelList>>()

export function listModels(index: CatalogIndex, query: ListQuery): ModelList {
  const cache = cacheOf(index)
  const key = JSON.stringify(query)
  const known = cache.get(key)
  if (known !== undefined) return known
  const made = makeList(index, query)
  cache.set(key, made)
  return made
}

/** What every paid model costs, and no more of it. */
export function listPrices(index: CatalogIndex): ModelList {
  return listModels(index, { ...EVERYTHING, fields: ['id', 'name', 'pricing_credits'] })
}

const EVERYTHING = {
  outputs: [],
  inputs: [],
  parameters: [],
  text: '',
  includeFree: false,
  limit: undefined,
  offset: 0,
  after: undefined,
  before: undefined,
}

function cacheOf(index: CatalogIndex): LRUCache<string, ModelList> {
  const known = lists.get(index)
  if (known !== undefined) return known
  const made = new LRUCache<string, ModelList>({
    maxSize: LARGEST_BYTES,
    sizeCalculation: ({ json }, key) => json.length + key.length,
  })
  lists.set(index, made)
  return made
}

function makeList(index: CatalogIndex, query: ListQuery): ModelList {
  const fitting = index.models.filter((model) => fits(model, query))
  const { start, end, hasMore } = spanOf(fitting, query)
  const page = fitting.slice(start, end)
  const json = JSON.stringify(page.map((model) => chosen(viewModel(model), query.fields)))
  // Weak: the same models, though every answer has its own request id.
  const etag = `W/"${sha256(json).toString('base64url').slice(0, 22)}"`
  const ends = { first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null }
  return { json, etag, total: fitting.length, hasMore, ends }
}

type Span = { start: number; end: number; hasMore: boolean }

/** Pages go forward, or back from a model. */
function spanOf(models: readonly CatalogModel[], query: ListQuery): Span {
  const { offset, limit = models.length, after, before } = query
  if (before !== undefined) {
    const end = placeOf(models, 'before_id', before)
    const start = Math.max(0, end - limit)
    return { start, end, hasMore: start > 0 }
  }
  const start = offset + (after === undefined ? 0 : placeOf(models, 'after_id', after) + 1)
  const end = start + limit
  return { start, end, hasMore: end < models.length }
}

function placeOf(models: readonly CatalogModel[], field: string, id: string): number {
  const at = models.findIndex((model) => model.id === id)
  if (at < 0) throw invalidField(field, 'names no model of this list')
  return at
}

/** A model is always named. */
function chosen(model: ModelView, fields: readonly string[]): Partial<ModelView> {
  if (fields.length === 0) return model
  const entries = Object.entries(model)
  return Object.fromEntries(entries.filter(([name]) => name === 'id' || fields.includes(name)))
}

function fits(model: CatalogModel, query: ListQuery): boolean {
  if (model.priced === 'free' && !query.includeFree) return false
  return (
    hasAll(model.outputModalities, query.outputs) &&
    hasAll(model.inputModalities, query.inputs) &&
    hasAll(model.supportedParameters, query.parameters) &&
    mentions(model, query.text)
  )
}

const hasAll = (has: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((each) => has.includes(each))

function mentions(model: CatalogModel, text: string): boolean {
  if (text === '') return true
  const about = `${model.id} ${model.name} ${model.description ?? ''}`.toLowerCase()
  return text.split(' ').every((word) => about.includes(word))
}
