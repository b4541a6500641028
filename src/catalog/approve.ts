import type { Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import { insertPrices, setDisabled, setOfferPrices, notifyCatalogChanged } from './catalog-store.ts'
import { lockCatalog } from './lease-store.ts'
import { deletePending, readPending, type PendingPrice } from './pending-store.ts'

/** Puts waiting prices in force. Without ids, all of them. Gives what was approved. */
export async function approvePrices(
  tx: Tx,
  approval: { ids?: string[] | undefined; operator: string },
): Promise<PendingPrice[]> {
  await lockCatalog(tx)
  const { ids } = approval
  const waiting = (await readPending(tx)).filter((one) => isMeant(one, ids))
  for (const price of waiting) await approve(tx, price, approval.operator)
  if (waiting.length > 0) await notifyCatalogChanged(tx)
  return waiting
}

export function isMeant({ id, modelId }: PendingPrice, ids: string[] | undefined): boolean {
  return ids === undefined || ids.includes(id) || ids.includes(modelId)
}

async function approve(tx: Tx, waiting: PendingPrice, operator: string): Promise<void> {
  const { modelId, upstream, margin, creditsPerUsd, next } = waiting
  const priceId = uuidv7()
  const terms = { margin, creditsPerUsd }
  await insertPrices(tx, [
    { id: priceId, modelId, upstream, ...next, ...terms, reason: 'approved', operator },
  ])
  await setOfferPrices(tx, [{ id: priceId, modelId, upstream }])
  await deletePending(tx, [waiting])
}

/** Disables a model, or enables it again. Says how it was; undefined when there is no such model. */
export async function setModelDisabled(
  tx: Tx,
  id: string,
  disabled: boolean,
): Promise<{ wasDisabled: boolean } | undefined> {
  await lockCatalog(tx)
  const wasDisabled = await setDisabled(tx, id, disabled)
  if (wasDisabled === undefined) return undefined
  await notifyCatalogChanged(tx)
  return { wasDisabled }
}
