import { Failure } from '../../lib/failure.ts'
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
import { keyHash, newKey } from '../credentials/key-format.ts'
import { findWorkspace } from './workspaces-store.ts'

const MOST_ACTIVE = 50

export type KeyWish = {
  name: string
  workspaceId?: string | undefined
  workspaceSlug?: string | undefined
  expiresAt?: Date | undefined
}

/** The only answer that ever holds the key itself. */
export async function createKey(
  room: Accounts,
  accountId: string,
  wish: KeyWish,
): Promise<KeyView & { key: string }> {
  if (wish.expiresAt && wish.expiresAt <= room.clock.now()) {
    throw new Failure('invalid', 'expires_at must be in the future.', { param: 'expires_at' })
  }
  const key = newKey()
  const made = await room.db.begin(async (tx) => {
    await lockAccount(tx, accountId)
    const { workspaceId: id, workspaceSlug: slug } = wish
    const workspace = await findWorkspace(tx, { accountId, id, slug })
    if (!workspace) throw new Failure('not_found', 'No such workspace.')
    if ((await countActiveKeys(tx, accountId)) >= MOST_ACTIVE) {
      throw new Failure('forbidden', `An account may have ${MOST_ACTIVE} active API keys.`)
    }
    const made = { id: uuidv7(), accountId, workspaceId: workspace.id, name: wish.name }
    const marks = {
      keyHash: Buffer.from(keyHash(key), 'base64'),
      prefix: key.slice(0, 12),
      last4: key.slice(-4),
    }
    await insertKey(tx, { ...made, ...marks, expiresAt: wish.expiresAt ?? null })
    const data = { key_id: made.id, name: wish.name, last4: marks.last4 }
    await notify(tx, { accountId, type: 'api_key.created', data })
    return found(await findKey(tx, accountId, made.id))
  })
  return { ...viewOf(made), key }
}

export async function keysOf(
  room: Accounts,
  accountId: string,
  page: {
    workspaceId?: string | undefined
    includeRevoked: boolean
    limit: number
    offset: number
  },
): Promise<{ keys: KeyView[]; total: number }> {
  const filter = { accountId, ...page }
  const keys = await listKeys(room.db, filter)
  return { keys: keys.map(viewOf), total: await countKeys(room.db, filter) }
}

export async function nameKey(
  room: Accounts,
  wanted: { accountId: string; id: string },
  name: string,
): Promise<KeyView> {
  const renamed = isUuid(wanted.id) && (await renameKey(room.db, { ...wanted, name }))
  if (!renamed) throw missing()
  return viewOf(found(await findKey(room.db, wanted.accountId, wanted.id)))
}

/** In force here when this returns, and in every other process as fast as word travels. */
export async function dropKey(
  room: Accounts,
  wanted: { accountId: string; id: string },
): Promise<void> {
  const { accountId, id } = wanted
  if (!isUuid(id) || !(await revokeKey(room.db, accountId, id))) throw missing()
  room.apiKeys.forget(id)
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
  last_used_at?: string
  expires_at?: string
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
    ...(key.lastUsedAt === null ? {} : { last_used_at: key.lastUsedAt.toISOString() }),
    ...(key.expiresAt === null ? {} : { expires_at: key.expiresAt.toISOString() }),
  }
}

function found(key: ApiKey | undefined): ApiKey {
  if (key) return key
  throw missing()
}

function missing(): Failure {
  return new Failure('not_found', 'No such API key.')
}
