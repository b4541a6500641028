import type { Db } from '../db/db.ts'
import { systemClock, type Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { freshReader } from '../lib/fresh-reader.ts'
import type { Log } from '../lib/log.ts'
import type { Decimal } from '../lib/decimal.ts'
import { readOffers, type OfferRow } from './catalog-store.ts'
import type { Pricing } from './model-record.ts'
import {
  buildCatalogIndex,
  type CatalogIndex,
  type CatalogModel,
  type Offer,
} from './catalog-index.ts'
import type { CatalogUpstream } from './terms.ts'

/** The modalities a caller needs of a model, all of them. */
type Needs = {
  outputs?: readonly string[] | undefined
  inputs?: readonly string[] | undefined
}

/** A model that can be used and paid for. */
export type PricedModel = CatalogModel & {
  prices: Pricing
  priceSnapshotId: string
  margin: Decimal
  creditsPerUsd: Decimal
  free: boolean
  /** Before it speaks: that is paid for, and often not shown. */
  thinks: boolean
  targets: readonly Offer[]
}

export type Catalog = {
  /** The catalog of this moment: one value, so that a reader never sees half of a change. */
  index(): CatalogIndex
  /** By any form of id: bare, with an upstream's name before it, or the resource id. */
  find(id: string): CatalogModel | undefined
  /**
   * Throws Failure `not_found`, or `unsuitable` when the model lacks what is needed. `field` is the
   * one that names the model in the request.
   */
  requireModel(id: string, needs?: Needs, field?: string): PricedModel
  /** Reads it again. Happens by itself when any process changes the catalog. */
  reload(): Promise<void>
}

/** The catalog in memory: lookups cost no query, and the database notifies of changes. */
export async function openCatalog(options: {
  db: Db
  log: Log
  upstreams: readonly CatalogUpstream[]
  clock?: Clock
}): Promise<Catalog> {
  const { db, log, upstreams, clock = systemClock } = options
  let rows: OfferRow[] = []
  let index: CatalogIndex
  const build = (nowMs: number) => {
    index = buildCatalogIndex(rows, upstreams, nowMs)
  }
  /** A model expires at its hour, whether or not anybody reads its upstream's list then. */
  const current = (): CatalogIndex => {
    const nowMs = clock.now().getTime()
    if (nowMs >= index.untilMs) build(nowMs)
    return index
  }
  const load = async () => {
    rows = await readOffers(db)
    build(clock.now().getTime())
  }
  const reload = freshReader(load)
  await db.listen('catalog', () => {
    reload().catch((error: unknown) =>
      log.error('The catalog could not be reloaded; the previous one stays in use.', { error }),
    )
  })
  await reload()
  const find = (id: string) => {
    const { byId } = current()
    return byId.get(id) ?? (id.includes('%') ? byId.get(decoded(id)) : undefined)
  }
  return {
    index: current,
    find,
    requireModel: (id, needs = {}, field = 'model') => usable(find(id), { id, needs, field }),
    reload,
  }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    // Not an encoded id: nothing has such a name.
    return ''
  }
}

function usable(
  model: CatalogModel | undefined,
  { id, needs, field }: { id: string; needs: Needs; field: string },
): PricedModel {
  if (model === undefined || !model.enabled || model.priced === 'unpriced') {
    throw notFound(id, field)
  }
  for (const output of needs.outputs ?? []) {
    if (!model.outputModalities.includes(output)) {
      throw unsuitable(field, `"${model.id}" does not produce ${output}`)
    }
  }
  for (const input of needs.inputs ?? []) {
    if (!model.inputModalities.includes(input)) {
      throw unsuitable(field, `"${model.id}" does not accept ${input}`)
    }
  }
  return asPriced(model)
}

const PRICED = new WeakMap<CatalogModel, PricedModel>()

function asPriced(model: CatalogModel): PricedModel {
  const known = PRICED.get(model)
  if (known !== undefined) return known
  const { pricing: prices, id: priceSnapshotId, margin, creditsPerUsd } = model.price
  const more = { prices, priceSnapshotId, margin, creditsPerUsd, targets: model.offers }
  const made = { ...model, ...more, free: model.priced === 'free', thinks: thinks(model) }
  PRICED.set(model, made)
  return made
}

/** An upstream's list must say so; of a model that it says nothing about, we see all that it says. */
function thinks({ supportedParameters, price: { pricing } }: CatalogModel): boolean {
  if (Number(pricing.internal_reasoning ?? 0) > 0) return true
  return supportedParameters.some((name) => name.includes('reasoning'))
}

export function notFound(id: string, field = 'model'): Failure {
  return new Failure('not_found', `${field}: there is no enabled model "${shown(id)}".`, {
    param: field,
    code: 'model_not_found',
  })
}

function unsuitable(field: string, why: string): Failure {
  return new Failure('unsuitable', `${field}: ${why}.`, {
    param: field,
    code: 'model_capability',
  })
}

/** A caller's id comes back in the message: printable and short. */
function shown(id: string): string {
  return id.slice(0, 120).replaceAll(/[^\x20-\x7e]|"/g, '?')
}
