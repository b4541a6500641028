import type { Tx } from '../db/db.ts'
import {
  insertModels,
  insertPrices,
  tellCatalogChanged,
  unlistOffers,
  upsertOffers,
} from './catalog-store.ts'
import { isNothing, type Changes } from './changes.ts'
import { deletePending, insertPending } from './pending-store.ts'

/** Writes what a sync found, and tells every process. In the caller's transaction. */
export async function applyChanges(tx: Tx, changes: Changes): Promise<void> {
  if (isNothing(changes)) return
  if (changes.models.length > 0) await insertModels(tx, changes.models)
  if (changes.prices.length > 0) await insertPrices(tx, changes.prices)
  if (changes.offers.length > 0) await upsertOffers(tx, changes.offers)
  if (changes.gone.length > 0) await unlistOffers(tx, changes.gone)
  if (changes.settled.length > 0) await deletePending(tx, changes.settled)
  if (changes.waiting.length > 0) await insertPending(tx, changes.waiting)
  await tellCatalogChanged(tx)
}
