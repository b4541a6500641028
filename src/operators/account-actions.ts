import type { Account } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import { VERIFY_PURPOSE } from '../accounts/codes/codes.ts'
import { resendInside } from '../accounts/codes/resend.ts'
import { findKey, revokeKey } from '../accounts/credentials/api-keys-store.ts'
import { endAllSessions, listSessions } from '../accounts/credentials/sessions-store.ts'
import { restoreAccount } from '../accounts/profile/deletion.ts'
import { reinstateAccount, suspendAccount } from '../accounts/suspension.ts'
import type { Db } from '../db/db.ts'
import { Failure, invalidField } from '../lib/failure.ts'
import { releaseHeldBack } from '../payments/reviews-store.ts'
import { tellWebhooks } from '../webhooks/events.ts'
import { withAuditLog, type AuditEvent } from './audit-log.ts'
import { requireAuthorityOver, type Actor } from './actor.ts'
import { readRole } from './operators-store.ts'

/** What actions on accounts need. */
export type AdminContext = {
  db: Db
  /** This process drops what it has cached of an account; the others are notified. */
  forget(accountId: string): void
}

export type AccountAction = { accountId: string; reason: string | undefined }

/** Undefined when there is no such account; the same below. */
export async function suspend(
  admin: AdminContext,
  actor: Actor,
  { accountId, reason }: AccountAction,
): Promise<Account | undefined> {
  const changed = await withAuditLog(admin.db, actor, async (tx, record) => {
    requireAuthorityOver(actor, { accountId, role: await readRole(tx, accountId) })
    const done = await suspendAccount(tx, accountId)
    if (done && done.before !== 'suspended') {
      await record(statusEvent('account.suspend', { accountId, reason }, done))
      await tellWebhooks(tx, { type: 'account.suspended', data: { account_id: accountId } })
    }
    return done
  })
  admin.forget(accountId)
  return changed?.account
}

export async function liftSuspension(
  admin: AdminContext,
  actor: Actor,
  { accountId, reason }: AccountAction,
): Promise<Account | undefined> {
  const changed = await withAuditLog(admin.db, actor, async (tx, record) => {
    requireAuthorityOver(actor, { accountId, role: await readRole(tx, accountId) })
    const done = await reinstateAccount(tx, accountId)
    if (done && done.before === 'suspended') {
      await record(statusEvent('account.restore', { accountId, reason }, done))
    }
    return done
  })
  admin.forget(accountId)
  return changed?.account
}

/** Undoes a deletion, and lets payments through that waited for it. Keys and sessions stay ended. */
export function undelete(
  db: Db,
  actor: Actor,
  { accountId, reason }: AccountAction,
): Promise<Account | undefined> {
  return withAuditLog(db, actor, async (tx, record) => {
    const account = await restoreAccount(tx, accountId)
    if (!account) return undefined
    await releaseHeldBack(tx, accountId)
    const target = { type: 'account', id: accountId }
    await record({ action: 'account.undelete', target, reason, after: { status: account.status } })
    return account
  })
}

/** Signs the account out everywhere. Its API keys go on working. */
export async function endSessions(
  admin: AdminContext,
  actor: Actor,
  { accountId, reason }: AccountAction,
): Promise<{ ended: number } | undefined> {
  const done = await withAuditLog(admin.db, actor, async (tx, record) => {
    requireAuthorityOver(actor, { accountId, role: await readRole(tx, accountId) })
    if (!(await lockAccount(tx, accountId))) return undefined
    const ended = (await listSessions(tx, accountId)).length
    await endAllSessions(tx, accountId, 'operator')
    const target = { type: 'account', id: accountId }
    await record({ action: 'account.end_sessions', target, reason, before: { sessions: ended } })
    return { ended }
  })
  admin.forget(accountId)
  return done
}

/** False when the account has no such key, or it was revoked before. */
export async function revokeKeyOf(
  admin: AdminContext,
  actor: Actor,
  { accountId, keyId, reason }: AccountAction & { keyId: string },
): Promise<boolean> {
  const done = await withAuditLog(admin.db, actor, async (tx, record) => {
    requireAuthorityOver(actor, { accountId, role: await readRole(tx, accountId) })
    const key = await findKey(tx, accountId, keyId)
    if (!key || !(await revokeKey(tx, accountId, keyId))) return false
    const before = { status: key.status, last4: key.last4, account_id: accountId }
    await record({ action: 'key.revoke', target: { type: 'api_key', id: keyId }, reason, before })
    return true
  })
  admin.forget(accountId)
  return done
}

/**
 * Sends a code that the customer waits for once more, to the address that the account has: by the
 * same rules, cool-downs and limits as if the customer had asked.
 */
export function resendCodeOf(
  accounts: Accounts,
  actor: Actor,
  { accountId, channel, purpose, reason }: AccountAction & ResendWish,
): Promise<boolean> {
  return withAuditLog(accounts.db, actor, async (tx, record) => {
    const account = await lockAccount(tx, accountId)
    if (!account) return false
    const identifier = channel === 'email' ? account.email : account.phoneNumber
    if (identifier === null)
      throw invalidField('channel', 'names an address that the account does not have')
    const verify = VERIFY_PURPOSE[channel]
    await resendInside(accounts, tx, {
      accountId,
      identifier,
      channel,
      purpose: purpose === 'verify' ? verify : purpose,
    })
    const target = { type: 'account', id: accountId }
    await record({ action: 'account.resend_code', target, reason, after: { channel, purpose } })
    return true
  })
}

export type ResendWish = { channel: 'email' | 'phone'; purpose: 'verify' | 'reset_password' }

export function noAccount(): Failure {
  return new Failure('not_found', 'There is no such account.')
}

function statusEvent(
  action: string,
  { accountId, reason }: AccountAction,
  { before, account }: { before: Account['status']; account: Account },
): AuditEvent {
  return {
    action,
    target: { type: 'account', id: accountId },
    reason,
    before: { status: before },
    after: { status: account.status },
  }
}
