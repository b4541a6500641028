import { randomUUID } from 'node:crypto'
import { insertKey } from '../../src/accounts/credentials/api-keys-store.ts'
import { keyHash, newKey } from '../../src/accounts/credentials/credential-caches.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import type { Db } from '../../src/db/db.ts'

const RICH_MICRO = 10n ** 15n

/** API keys of accounts that never run out of credits, written straight into the tables. */
export async function newCustomers(db: Db, count: number): Promise<string[]> {
  const keys: string[] = []
  for (let i = 0; i < count; i++) keys.push(await newCustomer(db))
  return keys
}

async function newCustomer(db: Db): Promise<string> {
  const [accountId, workspaceId, id, key] = [randomUUID(), randomUUID(), randomUUID(), newKey()]
  await db.begin(async (tx) => {
    await tx.query(`insert into accounts (id, full_name, status) values ($1, 'Bench', 'active')`, [
      accountId,
    ])
    await tx.query(
      `insert into workspaces (id, account_id, name, slug, is_default)
       values ($1, $2, 'Default', 'default', true)`,
      [workspaceId, accountId],
    )
    const shown = { name: 'bench', prefix: key.slice(0, 8), last4: key.slice(-4), expiresAt: null }
    await insertKey(tx, {
      id,
      accountId,
      workspaceId,
      keyHash: Buffer.from(keyHash(key), 'base64'),
      ...shown,
    })
    const entryId = randomUUID()
    const entry = {
      id: entryId,
      type: 'topup',
      key: `topup:${entryId}`,
      description: 'Bench',
    } as const
    await applyCommands(tx, [{ kind: 'grant', accountId, amountMicro: RICH_MICRO, entry }])
  })
  return key
}
