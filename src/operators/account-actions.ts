import type { Account } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import { VERIFY_PURPOSE } from '../accounts/codes/codes.ts'
import { resendInside } from '../accounts/codes/resend.ts'
import { findKey, revokeKey } from '../accounts/credentials/api-keys-store.ts'
import { endAllSessions, listSessions } from '../accounts/credentials/sessions-store.ts'
import { restoreAccount } from '../accounts/profile/deletion.ts'
import { reinstateAccount, suspendAccount } from '../accounts/suspension.ts'
import type { Db, Tx } from '../db/db.ts'
import { Failure, invalidField } from '../lib/failure.ts'
import { releaseHeldBack } from '../payments/reviews-store.ts'
import { tellWebhooks } from '../webhooks/events.ts'
import { withAuditLog, type AuditEvent } from './audit-log.ts'
import { requireAuthorityOver, type Actor } from './actor.ts'
import { operatorsBehind } from './linked-store.ts'
import { readRole } from './operators-store.ts'
import type { Act, AskedAct, OperatorActor } from './requests.ts'

/** This process drops what it has cached of an account; the others are notified. */
type Forget = (accountId: string) => void

/** What operators do to an account, apart from its money. */
export function accountActs(forget: Forget) {
  return {
    suspend: suspension(forget),
    reinstate: reinstatement(forget),
    endSessions: signOut(forget),
    revokeKey: revocation(forget),
  }
}

type StatusChange = NonNullable<Awaited<ReturnType<typeof suspendAccount>>>

function suspension(forget: Forget): Act<object, Account> {
  return {
    ...onAccount('account.suspend', forget),
    async perform(tx, { record }, asked) {
      const done = await suspendAccount(tx, asked.targetId)
      if (done && done.before !== 'suspended') {
        await record(statusEvent('account.suspend', asked, done))
        const data = { account_id: asked.targetId }
        await tellWebhooks(tx, { type: 'account.suspended', data })
      }
      return done?.account
    },
  }
}

function reinstatement(forget: Forget): Act<object, Account> {
  return {
    ...onAccount('account.restore', forget),
    async perform(tx, { record }, asked) {
      const done = await reinstateAccount(tx, asked.targetId)
      if (done && done.before === 'suspended') {
        await record(statusEvent('account.restore', asked, done))
      }
      return done?.account
    },
  }
}

/** Its API keys go on working. */
function signOut(forget: Forget): Act<object, { ended: number }> {
  return {
    ...onAccount('account.end_sessions', forget),
    async perform(tx, { record }, { targetId, reason }) {
      if (!(await lockAccount(tx, targetId))) return undefined
      const ended = (await listSessions(tx, targetId)).length
      await endAllSessions(tx, targetId, 'operator')
      const target = { type: 'account', id: targetId }
      const before = { sessions: ended }
      await record({ action: 'account.end_sessions', target, reason, before })
      return { ended }
    },
  }
}

/** Nothing to do when the account has no such key, or it was revoked before. */
function revocation(forget: Forget): Act<{ key_id: string }, true> {
  return {
    ...onAccount('key.revoke', forget),
    async perform(tx, { record }, { targetId: accountId, wish: { key_id: keyId }, reason }) {
      const key = await findKey(tx, accountId, keyId)
      if (!key || !(await revokeKey(tx, accountId, keyId))) return undefined
      const before = { status: key.status, last4: key.last4, account_id: accountId }
      await record({ action: 'key.revoke', target: { type: 'api_key', id: keyId }, reason, before })
      return true
    },
  }
}

/**
 * Sends a code that the customer waits for once more, to the address that the account has: by the
 * same rules, cool-downs and limits as if the customer had asked.
 */
export function resendCodeAct(accounts: Accounts): Act<ResendWish, true> {
  return {
    ...onAccount('account.resend_code', () => {}),
    async perform(tx, { record }, { targetId, wish: { channel, purpose }, reason }) {
      const account = await lockAccount(tx, targetId)
      if (!account) return undefined
      const identifier = channel === 'email' ? account.email : account.phoneNumber
      if (identifier === null)
        throw invalidField('channel', 'names an address that the account does not have')
      const verify = VERIFY_PURPOSE[channel]
      await resendInside(accounts, tx, {
        accountId: targetId,
        identifier,
        channel,
        purpose: purpose === 'verify' ? verify : purpose,
      })
      const target = { type: 'account', id: targetId }
      await record({ action: 'account.resend_code', target, reason, after: { channel, purpose } })
      return true
    },
  }
}

/** What is done to an account of an operator, or to one that is linked with it, waits. */
function onAccount(action: string, forget: Forget) {
  return {
    action,
    targetType: 'account',
    async waits(tx: Tx, asker: OperatorActor, { targetId }: AskedAct) {
      requireAuthorityOver(asker, await readRole(tx, targetId))
      return (await operatorsBehind(tx, targetId)).length > 0
    },
    afterwards: ({ targetId }: AskedAct) => forget(targetId),
  }
}

/** Undoes a deletion, and lets payments through that waited for it. Keys and sessions stay ended. */
export function undelete(
  db: Db,
  actor: Actor,
  { accountId, reason }: { accountId: string; reason: string | undefined },
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

export type ResendWish = { channel: 'email' | 'phone'; purpose: 'verify' | 'reset_password' }

export function noAccount(): Failure {
  return new Failure('not_found', 'There is no such account.')
}

function statusEvent(
  action: string,
  { targetId, reason }: AskedAct,
  { before, account }: StatusChange,
): AuditEvent {
  return {
    action,
    target: { type: 'account', id: targetId },
    reason,
    before: { status: before },
    after: { status: account.status },
  }
}
