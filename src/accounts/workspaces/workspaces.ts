import { Failure, invalidField } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Accounts } from '../accounts.ts'
import { lockAccount } from '../accounts-store.ts'
import { announceKeys, moveKeys } from '../credentials/api-keys-store.ts'
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
  accounts: Pick<Accounts, 'db'>,
  accountId: string,
): Promise<WorkspaceView[]> {
  return (await listWorkspaces(accounts.db, accountId)).map(viewOf)
}

/** The account's row is locked, so that parallel requests cannot exceed the limit of twenty. */
export async function createWorkspace(
  accounts: Pick<Accounts, 'db'>,
  accountId: string,
  body: { name: string; slug?: string | undefined; description?: string | undefined },
): Promise<WorkspaceView> {
  const slug = body.slug?.trim() ? readSlug(body.slug) : slugFrom(body.name)
  const { name } = body
  const description = body.description || null
  return accounts.db.begin(async (tx) => {
    const [, taken, additional] = await Promise.all([
      lockAccount(tx, accountId),
      findWorkspace(tx, { accountId, slug }),
      countAdditional(tx, accountId),
    ])
    if (taken) throw slugTaken()
    if (additional >= MOST_ADDITIONAL) throw tooMany()
    const workspace = { id: uuidv7(), accountId, name, slug, description, isDefault: false }
    const inserted = await insertWorkspace(tx, workspace)
    if (!inserted) throw slugTaken()
    return viewOf(inserted)
  })
}

export async function readWorkspace(
  accounts: Pick<Accounts, 'db'>,
  wanted: { accountId: string; slug: string },
): Promise<WorkspaceView> {
  return viewOf(found(await findWorkspace(accounts.db, wanted)))
}

export async function updateWorkspace(
  accounts: Pick<Accounts, 'db'>,
  wanted: { accountId: string; slug: string },
  change: { name?: string | undefined; description?: string | undefined },
): Promise<WorkspaceView> {
  return viewOf(found(await changeWorkspace(accounts.db, wanted, change)))
}

/** Its keys, and whatever else belongs to it, move to the default one in the same transaction. */
export async function deleteWorkspace(
  accounts: Pick<Accounts, 'apiKeys' | 'db' | 'workspaceMoves'>,
  wanted: { accountId: string; slug: string },
): Promise<void> {
  const { accountId } = wanted
  await accounts.db.begin(async (tx) => {
    await lockAccount(tx, accountId)
    const workspace = found(await findWorkspace(tx, wanted))
    if (workspace.isDefault) {
      throw new Failure('invalid', 'The default workspace cannot be deleted.', { param: 'slug' })
    }
    const target = found(await findWorkspace(tx, { accountId, slug: 'default' }))
    await moveKeys(tx, workspace.id, target.id)
    for (const move of accounts.workspaceMoves) {
      await move(tx, { accountId, fromId: workspace.id, toId: target.id })
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
  description?: string | undefined
  is_default: boolean
  created_at: string
  updated_at: string
}

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** 1 to 63 lowercase letters, digits and hyphens, no hyphen at the ends; `default` is reserved. */
export function readSlug(text: string): string {
  if (text === 'default') throw invalidField('slug', 'must not be "default", which is reserved')
  if (!SLUG.test(text)) {
    const why = 'must be 1 to 63 lowercase letters, digits or hyphens, with no hyphen at either end'
    throw invalidField('slug', why)
  }
  return text
}

/** What a blank slug becomes: the name in lowercase, with hyphens for spaces. */
export function slugFrom(name: string): string {
  const slug = name.trim().toLowerCase().replaceAll(/\s+/g, '-')
  if (slug === 'default' || !SLUG.test(slug)) {
    throw invalidField('slug', 'is required, because none can be derived from this name')
  }
  return slug
}

function viewOf(workspace: Workspace): WorkspaceView {
  return {
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    description: workspace.description ?? undefined,
    is_default: workspace.isDefault,
    created_at: workspace.createdAt.toISOString(),
    updated_at: workspace.updatedAt.toISOString(),
  }
}

function found(workspace: Workspace | undefined): Workspace {
  if (workspace) return workspace
  throw new Failure('not_found', 'There is no such workspace.')
}

function slugTaken(): Failure {
  return new Failure('conflict', 'slug is already used by another of your workspaces.', {
    param: 'slug',
  })
}

function tooMany(): Failure {
  return new Failure(
    'forbidden',
    `An account can have at most ${MOST_ADDITIONAL} additional workspaces. Delete one first.`,
  )
}
