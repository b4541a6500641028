import { findAccount, findOwner } from '../accounts/accounts-store.ts'
import { readIdentifier } from '../accounts/identifiers.ts'
import type { Account } from '../accounts/account.ts'
import { hasStrongFactor } from '../accounts/codes/mfa.ts'
import type { Db, Tx } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import type { OperatorRole } from '../accounts/principal.ts'
import { withAuditLog } from './audit-log.ts'
import type { Actor } from './actor.ts'
import { deleteOperator, putOperator, readRole } from './operators-store.ts'

/**
 * Makes an account an operator's, or gives it another role. Undefined when there is none. Without a
 * second factor of its own, whoever holds any session of the account would become the operator.
 */
export function addOperator(
  db: Db,
  actor: Actor,
  wanted: { who: string; role: OperatorRole; reason: string | undefined },
): Promise<Account | undefined> {
  return withAuditLog(db, actor, async (tx, record) => {
    const account = await activeAccount(tx, wanted.who)
    if (!account) return undefined
    const before = await readRole(tx, account.id)
    if (before === wanted.role) return account
    if (!(await hasStrongFactor(tx, account))) throw noStrongFactor()
    await putOperator(tx, account.id, wanted.role)
    await record({
      action: before === undefined ? 'operator.add' : 'operator.change',
      target: { type: 'account', id: account.id },
      reason: wanted.reason,
      before: before && { role: before },
      after: { role: wanted.role },
    })
    return account
  })
}

function noStrongFactor(): Failure {
  return new Failure(
    'conflict',
    'This account has no passkey and no authenticator app. Its owner sets one up first, under Settings, Security.',
  )
}

/** Undefined when that is no operator. */
export function removeOperator(
  db: Db,
  actor: Actor,
  wanted: { who: string; reason: string | undefined },
): Promise<Account | undefined> {
  return withAuditLog(db, actor, async (tx, record) => {
    const account = await accountOf(tx, wanted.who)
    const role = account && (await readRole(tx, account.id))
    if (!account || role === undefined) return undefined
    await deleteOperator(tx, account.id)
    await record({
      action: 'operator.remove',
      target: { type: 'account', id: account.id },
      reason: wanted.reason,
      before: { role },
    })
    return account
  })
}

/** Claiming an address that is not verified must not make anybody an operator. */
async function activeAccount(tx: Tx, who: string): Promise<Account | undefined> {
  const account = await accountOf(tx, who)
  return account?.status === 'active' ? account : undefined
}

async function accountOf(tx: Tx, who: string): Promise<Account | undefined> {
  if (isUuid(who)) return findAccount(tx, who)
  const identifier = readIdentifier(who)
  return identifier && findOwner(tx, identifier)
}
