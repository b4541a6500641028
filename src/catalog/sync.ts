import type { Db, Tx } from '../db/db.ts'
import { decimal } from '../lib/decimal.ts'
import { uuidv7 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { storable } from '../lib/storable.ts'
import type { Catalog } from './catalog.ts'
import {
  insertModels,
  insertPrices,
  notifyCatalogChanged,
  readOffers,
  unlistOffers,
  upsertOffers,
} from './catalog-store.ts'
import { isNothing, type Changes, type KnownOffer, type Reading } from './changes.ts'
import { diffCatalog } from './diff.ts'
import { claimSync, dropSync, finishSync, lockCatalog } from './lease-store.ts'
import { readMargins } from './margins-store.ts'
import { deletePending, insertPending } from './pending-store.ts'
import type { CatalogRecord } from './model-record.ts'
import { settingsHashOf, termsOf, type CatalogUpstream, type PriceSettings } from './terms.ts'

export type SyncParts = {
  db: Db
  log: Log
  settings: PriceSettings
  upstreams: readonly CatalogUpstream[]
  /** Reads the list of one upstream, over the network. Throws when it cannot. */
  read(upstream: string, signal?: AbortSignal): Promise<readonly CatalogRecord[]>
}

export type SyncOptions = {
  /** Skip when a reading younger than this exists. */
  maxAgeS?: number | undefined
  /** Believe a list that lost most of its models. For the operator. */
  believe?: boolean | undefined
  /** Runs the writing in a transaction of the caller's, who may add to it. */
  inside?: ((write: (tx: Tx) => Promise<SyncReport>) => Promise<SyncReport>) | undefined
  signal?: AbortSignal | undefined
}

export type SyncReport =
  | { state: 'skipped' }
  | {
      state: 'done'
      added: number
      priced: number
      gone: number
      waiting: number
      failed: string[]
    }

const LEASE_S = 300
const RETRY_S = 300

/** Reads every upstream's list and writes what changed: one replica at a time, in one transaction. */
export async function syncCatalog(
  parts: SyncParts,
  options: SyncOptions = {},
): Promise<SyncReport> {
  const holder = uuidv7()
  const settingsHash = settingsHashOf(parts)
  const lease = { holder, leaseS: LEASE_S, maxAgeS: options.maxAgeS ?? 0, settingsHash }
  if (!(await claimSync(parts.db, lease))) return { state: 'skipped' }
  try {
    const readings = await readAll(parts, options.signal)
    const round = { holder, settingsHash, readings, believe: options.believe }
    const inside = options.inside ?? ((run) => parts.db.begin(run))
    const report = await inside((tx) => write(tx, parts, round))
    logReport(parts.log, report)
    return report
  } catch (error) {
    await dropSync(parts.db, holder)
    throw error
  }
}

/**
 * The first reading of all: without a catalog a service can serve nothing, while later readings can
 * wait for their job. Only who serves may do this: to others a catalog that they cannot use is full.
 */
export async function syncFirst({ catalog, catalogSync }: Filling): Promise<void> {
  if (catalog.index().models.length > 0) return
  await syncCatalog(catalogSync)
  await catalog.reload()
}

type Filling = { catalog: Pick<Catalog, 'index' | 'reload'>; catalogSync: SyncParts }

/** What was read, before the margins of the moment are known. */
type RawReading = Omit<Reading, 'terms'> & { own: CatalogUpstream }

function readAll(parts: SyncParts, signal: AbortSignal | undefined): Promise<RawReading[]> {
  return Promise.all(
    parts.upstreams.map(async (upstream) => ({
      upstream: upstream.name,
      listing: upstream.sync ? await readOne(parts, upstream.name, signal) : [],
      byHand: storable(upstream.byHand),
      own: upstream,
    })),
  )
}

/** An upstream that cannot be read keeps its last good list, and does not stop the others. */
async function readOne(parts: SyncParts, upstream: string, signal: AbortSignal | undefined) {
  try {
    return storable(await parts.read(upstream, signal))
  } catch (error) {
    if (signal?.aborted) throw error
    parts.log.warn('The model list of an upstream could not be read; its last one stays in use.', {
      upstream,
      error,
    })
    return undefined
  }
}

type Round = {
  holder: string
  settingsHash: string
  readings: RawReading[]
  believe?: boolean | undefined
}

async function write(tx: Tx, parts: SyncParts, round: Round): Promise<SyncReport> {
  const lock = await lockCatalog(tx)
  // Stopped for longer than the lease: another replica has read a newer list by now.
  if (lock.holder !== round.holder) return { state: 'skipped' }
  const known = await readOffers(tx)
  const margins = await readMargins(tx)
  const readings = round.readings.map(({ own, ...reading }) => ({
    ...reading,
    listing: round.believe || isCredible(reading, known) ? reading.listing : undefined,
    terms: (record: CatalogRecord) => termsOf(own, parts.settings, record, margins),
  }))
  const guard = decimal(parts.settings.PRICE_CHANGE_GUARD)
  const changes = diffCatalog({ known, readings, guard, newId: uuidv7 })
  await applyChanges(tx, changes)
  const failed = readings.flatMap(({ upstream, listing }) => (listing ? [] : [upstream]))
  const retryInS = failed.length > 0 ? RETRY_S : undefined
  await finishSync(tx, { holder: round.holder, settingsHash: round.settingsHash, retryInS })
  return {
    state: 'done',
    added: changes.models.length,
    priced: changes.prices.length,
    gone: changes.gone.length,
    waiting: changes.waiting.length,
    failed,
  }
}

/** An empty list, or one that lost more than half, is a broken list. */
function isCredible(
  reading: Pick<Reading, 'upstream' | 'listing'>,
  known: readonly KnownOffer[],
): boolean {
  if (reading.listing === undefined) return true
  const had = known.filter(
    (offer) => offer.upstream === reading.upstream && offer.listed && !offer.byHand,
  )
  const has = new Set(reading.listing.map((record) => record.id))
  const lost = had.filter((offer) => !has.has(offer.id)).length
  return lost === 0 || (reading.listing.length > 0 && (had.length < 10 || lost * 2 <= had.length))
}

/** Writes what a sync found, and notifies every process. In the caller's transaction. */
async function applyChanges(tx: Tx, changes: Changes): Promise<void> {
  if (isNothing(changes)) return
  if (changes.models.length > 0) await insertModels(tx, changes.models)
  if (changes.prices.length > 0) await insertPrices(tx, changes.prices)
  if (changes.offers.length > 0) await upsertOffers(tx, changes.offers)
  if (changes.gone.length > 0) await unlistOffers(tx, changes.gone)
  if (changes.settled.length > 0) await deletePending(tx, changes.settled)
  if (changes.waiting.length > 0) await insertPending(tx, changes.waiting)
  await notifyCatalogChanged(tx)
}

function logReport(log: Log, report: SyncReport): void {
  if (report.state === 'skipped') return
  if (report.added + report.priced + report.gone > 0) {
    log.info('The catalog was updated.', { count: report.added + report.priced })
  }
  if (report.waiting > 0) {
    log.warn('Prices that disappeared or changed too much wait for approval; see "catalog diff".', {
      count: report.waiting,
    })
  }
}
