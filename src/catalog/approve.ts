import type { Db, Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import { insertPrices, setDisabled, setOfferPrice, tellCatalogChanged } from './catalog-store.ts'
import { lockCatalog } from './lease-store.ts'
import { deletePending, readPending, type PendingPrice } from './pending-store.ts'

/** Puts waiting prices in force. Without an id, all of them. Gives what was approved. */
export async function approvePrices(
  db: Db,
  wanted: { id?: string | undefined; operator: string },
): Promise<PendingPrice[]> {
  return db.begin(async (tx) => {
    await lockCatalog(tx)
    const waiting = (await readPending(tx)).filter(
      ({ id, modelId }) => wanted.id === undefined || wanted.id === id || wanted.id === modelId,
    )
    for (const price of waiting) await approve(tx, price, wanted.operator)
    if (waiting.length > 0) await tellCatalogChanged(tx)
    return waiting
  })
}

async function approve(tx: Tx, waiting: PendingPrice, operator: string): Promise<void> {
  const { modelId, upstream, margin, creditsPerUsd, next } = waiting
  const priceId = uuidv7()
  const terms = { margin, creditsPerUsd }
  await insertPrices(tx, [
    { id: priceId, modelId, upstream, ...next, ...terms, reason: 'approved', operator },
  ])
  await setOfferPrice(tx, { modelId, upstream, priceId })
  await deletePending(tx, [waiting])
}

/** Takes a model off the shelf, or puts it back. False when there is no such model. */
export async function setModelDisabled(db: Db, id: string, disabled: boolean): Promise<boolean> {
  return db.begin(async (tx) => {
    await lockCatalog(tx)
    const found = await setDisabled(tx, id, disabled)
    if (found) await tellCatalogChanged(tx)
    return found
  })
}
