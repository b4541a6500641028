import type { Tx } from '../db/db.ts'

export type SyncLease = {
  holder: string
  leaseS: number
  maxAgeS: number
  /** What prices are made with: when it has changed, the last reading counts for nothing. */
  settingsHash: string
}

/**
 * True when this holder may read the upstreams now: nobody else does, and the last reading is older
 * than `maxAgeS`, was incomplete, or was made with other settings. By the database's clock, which
 * all replicas share.
 */
export async function claimSync(tx: Tx, lease: SyncLease): Promise<boolean> {
  const rows = await tx.query(
    `update catalog_sync set holder = $1, lease_until = now() + make_interval(secs => $2::float8)
     where (lease_until is null or lease_until < now())
       and (finished_at is null or finished_at <= now() - make_interval(secs => $3::float8)
         or retry_at <= now() or settings_hash is distinct from $4)
     returning holder`,
    [lease.holder, lease.leaseS, lease.maxAgeS, lease.settingsHash],
  )
  return rows.length > 0
}

/** Whoever writes the catalog locks this row first, so that a sync and an approval take turns. */
export async function lockCatalog(tx: Tx): Promise<CatalogLock> {
  const rows = await tx.read<CatalogLock>(
    'select holder, settings_hash as "settingsHash" from catalog_sync for update',
  )
  return rows[0]!
}

/** Who reads the upstreams now, and which settings the last reading was made with. */
type CatalogLock = { holder: string | null; settingsHash: string | null }

/** `retryInS`: something could not be read, and is worth another try before its time. */
export async function finishSync(
  tx: Tx,
  done: { holder: string; settingsHash: string; retryInS: number | undefined },
): Promise<void> {
  await tx.query(
    `update catalog_sync set holder = null, lease_until = null, finished_at = now(),
       settings_hash = $2, retry_at = now() + make_interval(secs => $3::float8)
     where holder = $1`,
    [done.holder, done.settingsHash, done.retryInS ?? null],
  )
}

/** Gives the lease back after a failure: the next round may begin at once. */
export async function dropSync(tx: Tx, holder: string): Promise<void> {
  await tx.query('update catalog_sync set holder = null, lease_until = null where holder = $1', [
    holder,
  ])
}
