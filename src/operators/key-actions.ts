import { forgetLostKeys, rotateKeys, type MasterKeys, type Rotation } from '../accounts/rotation.ts'
import type { Db } from '../db/db.ts'
import { resealWebhookSecrets, webhookKeys } from '../webhooks/secrets.ts'
import { withAuditLog } from './audit-log.ts'
import type { Actor } from './actor.ts'

type KeyWish = { masters: MasterKeys; reason?: string | undefined }

const target = { type: 'keys', id: 'all' }

/** It takes many transactions: its beginning and its result are logged separately. */
export async function resealKeys(db: Db, actor: Actor, wish: KeyWish): Promise<Rotation> {
  const { masters, reason } = wish
  await withAuditLog(db, actor, (_tx, record) => record({ action: 'keys.rotate', target, reason }))
  const accounts = await rotateKeys(db, masters)
  const webhooks = await resealWebhookSecrets(db, webhookKeys(masters))
  const after = {
    ...accounts,
    resealed: accounts.resealed + webhooks.resealed,
    unchanged: accounts.unchanged + webhooks.unchanged,
    lost: accounts.lost + webhooks.lost,
  }
  await withAuditLog(db, actor, (_tx, record) =>
    record({ action: 'keys.rotated', target, reason, after }),
  )
  return after
}

export function giveUpKeys(db: Db, actor: Actor, { masters, reason }: KeyWish): Promise<number> {
  return withAuditLog(db, actor, async (tx, record) => {
    const forgotten = await forgetLostKeys(tx, masters)
    await record({ action: 'keys.forget', target, reason, after: { forgotten } })
    return forgotten
  })
}
