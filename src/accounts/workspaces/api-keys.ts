import { Failure, invalidField } from '../../lib/failure.ts'
import { isUuid, uuidv7 } from '../../lib/ids.ts'
import { notify } from '../../notices/notices.ts'
import type { Accounts } from '../accounts.ts'
import { lockAccount } from '../accounts-store.ts'
import {
  countActiveKeys,
  countKeys,
  findKey,
  insertKey,
  listKeys,
  renameKey,
  revokeKey,
} from '../credentials/api-keys-store.ts'
import type { ApiKey } from '../credentials/api-keys-store.ts'
import { keyHash, newKey } from '../credentials/credential-caches.ts'
import { findWorkspace } from './workspaces-store.ts'

const MOST_ACTIVE = 50

export type KeyRequest = {
  name: string
  workspaceId?: string | undefined
  workspaceSlug?: string | undefined
  expiresAt?: Date | undefined
}

/** The only answer that ever contains the key itself. */
export async function createApiKey(
  accounts: Pick<Accounts, 'clock' | 'db'>,
  accountId: string,
  body: KeyRequest,
): Promise<KeyView & { key: string }> {
  if (body.expiresAt && body.expiresAt <= accounts.clock.now()) {
    throw invalidField('expires_at', 'must be in the future')
  }
  const key = newKey()
  const created = await accounts.db.begin(async (tx) => {
    const wanted = { accountId, id: body.workspaceId, slug: body.workspaceSlug }
    // One round trip: the account's lock is held for less time.
    const [, workspace, active] = await Promise.all([
      lockAccount(tx, accountId),
      findWorkspace(tx, wanted),
      countActiveKeys(tx, accountId),
    ])
    if (!workspace) throw new Failure('not_found', 'There is no such workspace.')
    if (active >= MOST_ACTIVE) {
      throw new Failure(
        'forbidden',
        `An account can have at most ${MOST_ACTIVE} active API keys. Revoke one first.`,
      )
    }
    const id = uuidv7()
    const last4 = key.slice(-4)
    await insertKey(tx, {
      id,
      accountId,
      workspaceId: workspace.id,
      name: body.name,
      keyHash: Buffer.from(keyHash(key), 'base64'),
      prefix: key.slice(0, 12),
      last4,
      expiresAt: body.expiresAt ?? null,
    })
    const data = { key_id: id, name: body.name, last4 }
    await notify(tx, { accountId, type: 'api_key.created', data })
    return found(await findKey(tx, accountId, id))
  })
  return { ...viewOf(created), key }
}

export async function listApiKeys(
  accounts: Pick<Accounts, 'db'>,
  accountId: string,
  page: {
    workspaceId?: string | undefined
    includeRevoked: boolean
    limit: number
    offset: number
  },
): Promise<{ keys: KeyView[]; total: number }> {
  const filter = { accountId, ...page }
  const keys = await listKeys(accounts.db, filter)
  return { keys: keys.map(viewOf), total: await countKeys(accounts.db, filter) }
}

export async function showApiKey(
  accounts: Pick<Accounts, 'db'>,
  wanted: { accountId: string; id: string },
): Promise<KeyView> {
  return viewOf(found(await findKey(accounts.db, wanted.accountId, wanted.id)))
}

export async function renameApiKey(
  accounts: Pick<Accounts, 'db'>,
  wanted: { accountId: string; id: string },
  name: string,
): Promise<KeyView> {
  const renamed = isUuid(wanted.id) && (await renameKey(accounts.db, { ...wanted, name }))
  if (!renamed) throw missing()
  return showApiKey(accounts, wanted)
}

/** Takes effect in this process before it returns, in others once they are notified. */
export async function revokeApiKey(
  accounts: Pick<Accounts, 'apiKeys' | 'db'>,
  wanted: { accountId: string; id: string },
): Promise<void> {
  const { accountId, id } = wanted
  if (!isUuid(id) || !(await revokeKey(accounts.db, accountId, id))) throw missing()
  accounts.apiKeys.forget(id)
}

export type KeyView = {
  id: string
  name: string
  prefix: string
  last4: string
  workspace_id: string
  workspace_slug: string
  scopes: ['gateway:use']
  status: 'active' | 'revoked' | 'expired'
  created_at: string
  last_used_at?: string | undefined
  expires_at?: string | undefined
}

function viewOf(key: ApiKey): KeyView {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    workspace_id: key.workspaceId,
    workspace_slug: key.workspaceSlug,
    scopes: ['gateway:use'],
    status: key.status,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString(),
    expires_at: key.expiresAt?.toISOString(),
  }
}

function found(key: ApiKey | undefined): ApiKey {
  if (key) return key
  throw missing()
}

function missing(): Failure {
  return new Failure('not_found', 'There is no such API key.')
}
