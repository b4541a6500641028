import { FRESH_S, IS_LIVE } from '../accounts/credentials/sessions-store.ts'
import { as, bool, columns, oneOf, orNull, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import type { OperatorRole } from '../accounts/principal.ts'

const OPERATOR = columns({
  accountId: as('o.account_id', text),
  role: as('o.role', oneOf<OperatorRole>()),
  fullName: text,
  email: orNull(text),
  phoneNumber: orNull(text),
  hasAuthenticator: as("mfa_method = 'totp'", bool),
  hasPasskey: as('exists (select from passkeys where passkeys.account_id = a.id)', bool),
  addedAt: time,
})
export type Operator = RowOf<typeof OPERATOR>

/** A code by SMS or email is not enough: numbers are stolen by a swap of the SIM. */
const BY_DEVICE = '(case when not second_factor_by_message then second_factor_at end)'

const PROVEN = columns({
  /** When the session last passed an authenticator or a passkey, if ever. */
  secondFactorAt: as(BY_DEVICE, orNull(time)),
  /** That was within the last ten minutes. */
  fresh: as(`coalesce(${BY_DEVICE} > now() - ${FRESH_S} * interval '1 second', false)`, bool),
})
/** An operator with what the session has proven. */
export type Standing = Operator & RowOf<typeof PROVEN>

/** Undefined for everybody who is no operator, and for one whose account is suspended or deleted. */
export async function findStanding(
  tx: Tx,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<Standing | undefined> {
  const [row] = await tx.read(
    `select ${OPERATOR.list}, ${PROVEN.list}
     from ${PEOPLE} join sessions on sessions.id = $2 and sessions.account_id = a.id and ${IS_LIVE}
     where a.id = $1 and a.status = 'active'`,
    [accountId, sessionId],
  )
  return row && { ...OPERATOR.from(row), ...PROVEN.from(row) }
}

export async function listOperators(tx: Tx): Promise<Operator[]> {
  const rows = await tx.read(
    `select ${OPERATOR.list} from ${PEOPLE} order by o.added_at, o.account_id`,
  )
  return OPERATOR.all(rows)
}

export async function readRole(tx: Tx, accountId: string): Promise<OperatorRole | undefined> {
  const [row] = await tx.read<{ role: OperatorRole }>(
    'select role from operators where account_id = $1',
    [accountId],
  )
  return row?.role
}

export async function putOperator(tx: Tx, accountId: string, role: OperatorRole): Promise<void> {
  await tx.query(
    `insert into operators (account_id, role) values ($1, $2)
     on conflict (account_id) do update set role = excluded.role`,
    [accountId, role],
  )
}

/** Also a part of the deletion of an account. */
export async function deleteOperator(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from operators where account_id = $1', [accountId])
}

const PEOPLE = `operators o join accounts a on a.id = o.account_id and a.deleted_at is null`
