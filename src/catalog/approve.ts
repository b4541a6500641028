import type { Db, Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import { insertPrices, setDisabled, setOfferPrice, notifyCatalogChanged } from './catalog-store.ts'
import { lockCatalog } from './lease-store.ts'
import { deletePending, readPending, type PendingPrice } from './pending-store.ts'

/** Puts waiting prices in force. Without an id, all of them. Gives what was approved. */
export async function approvePrices(
  db: Db,
  approval: { id?: string | undefined; operator: string },
): Promise<PendingPrice[]> {
  return db.begin(async (tx) => {
    await lockCatalog(tx)
    const waiting = (await readPending(tx)).filter(
      ({ id, modelId }) =>
        approval.id === undefined || approval.id === id || approval.id === modelId,
    )
    for (const price of waiting) await approve(tx, price, approval.operator)
    if (waiting.length > 0) await notifyCatalogChanged(tx)
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

/** Disables a model, or enables it again. False when there is no such model. */
export async function setModelDisabled(db: Db, id: string, disabled: boolean): Promise<boolean> {
  return db.begin(async (tx) => {
    await lockCatalog(tx)
    const found = await setDisabled(tx, id, disabled)
    if (found) await notifyCatalogChanged(tx)
    return found
  })
}
