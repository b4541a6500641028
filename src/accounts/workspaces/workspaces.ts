import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Accounts } from '../accounts.ts'
import { lockAccount } from '../accounts-store.ts'
import { announceKeys, moveKeys } from '../credentials/api-keys-store.ts'
import { readSlug, slugFrom } from './slug.ts'
import {
  changeWorkspace,
  countAdditional,
  findWorkspace,
  insertWorkspace,
  listWorkspaces,
  removeWorkspace,
} from './workspaces-store.ts'
import type { Workspace } from './workspaces-store.ts'

const MOST_ADDITIONAL = 20

export async function workspacesOf(
  accounts: Accounts,
  accountId: string,
): Promise<WorkspaceView[]> {
  return (await listWorkspaces(accounts.db, accountId)).map(viewOf)
}

/** The account's row is locked, so that thirty posts at once still leave twenty. */
export async function createWorkspace(
  accounts: Accounts,
  accountId: string,
  wish: { name: string; slug?: string | undefined; description?: string | undefined },
): Promise<WorkspaceView> {
  const slug = wish.slug?.trim() ? readSlug(wish.slug) : slugFrom(wish.name)
  const { name } = wish
  const description = wish.description || null
  return accounts.db.begin(async (tx) => {
    await lockAccount(tx, accountId)
    if (await findWorkspace(tx, { accountId, slug })) throw slugTaken()
    if ((await countAdditional(tx, accountId)) >= MOST_ADDITIONAL) throw enough()
    const made = { id: uuidv7(), accountId, name, slug, description, isDefault: false }
    const workspace = await insertWorkspace(tx, made)
    if (!workspace) throw slugTaken()
    return viewOf(workspace)
  })
}

export async function readWorkspace(
  accounts: Accounts,
  wanted: { accountId: string; slug: string },
): Promise<WorkspaceView> {
  return viewOf(found(await findWorkspace(accounts.db, wanted)))
}

export async function updateWorkspace(
  accounts: Accounts,
  wanted: { accountId: string; slug: string },
  change: { name?: string | undefined; description?: string | undefined },
): Promise<WorkspaceView> {
  return viewOf(found(await changeWorkspace(accounts.db, wanted, change)))
}

/** Keys, and whatever else belongs to it, move to the default one in the same transaction. */
export async function deleteWorkspace(
  accounts: Accounts,
  wanted: { accountId: string; slug: string },
): Promise<void> {
  const { accountId } = wanted
  await accounts.db.begin(async (tx) => {
    await lockAccount(tx, accountId)
    const workspace = found(await findWorkspace(tx, wanted))
    if (workspace.isDefault) {
      throw new Failure('invalid', 'The default workspace cannot be deleted.', { param: 'slug' })
    }
    const home = found(await findWorkspace(tx, { accountId, slug: 'default' }))
    await moveKeys(tx, workspace.id, home.id)
    for (const move of accounts.workspaceMoves) {
      await move(tx, { accountId, fromId: workspace.id, toId: home.id })
    }
    await removeWorkspace(tx, workspace.id)
    await announceKeys(tx, accountId)
  })
  accounts.apiKeys.forget(accountId)
}

export type WorkspaceView = {
  id: string
  name: string
  slug: string
  description?: string
  is_default: boolean
  created_at: string
  updated_at: string
}

function viewOf(workspace: Workspace): WorkspaceView {
  return {
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    ...(workspace.description === null ? {} : { description: workspace.description }),
    is_default: workspace.isDefault,
    created_at: workspace.createdAt.toISOString(),
    updated_at: workspace.updatedAt.toISOString(),
  }
}

function found(workspace: Workspace | undefined): Workspace {
  if (workspace) return workspace
  throw new Failure('not_found', 'No such workspace.')
}

function slugTaken(): Failure {
  return new Failure('conflict', 'slug is used by another of your workspaces.', { param: 'slug' })
}

function enough(): Failure {
  return new Failure('forbidden', `An account may have ${MOST_ADDITIONAL} additional workspaces.`)
}
