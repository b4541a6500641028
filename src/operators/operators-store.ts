import { FRESH_S } from '../accounts/credentials/sessions-store.ts'
import type { Row, Tx } from '../db/db.ts'
import type { OperatorRole } from '../accounts/principal.ts'

export type Operator = {
  accountId: string
  role: OperatorRole
  fullName: string
  email: string | null
  phoneNumber: string | null
  hasAuthenticator: boolean
  addedAt: Date
}

/** An operator with what the session has proven. */
export type Standing = Operator & {
  /** When the session last passed the second factor, if ever. */
  secondFactorAt: Date | null
  /** That was within the last ten minutes. */
  fresh: boolean
}

/** Undefined for everybody who is no operator, and for one whose account is suspended or deleted. */
export async function findStanding(
  tx: Tx,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<Standing | undefined> {
  const [row] = await tx.read(
    `select ${COLUMNS}, s.second_factor_at,
       coalesce(s.second_factor_at > now() - ${FRESH_S} * interval '1 second', false) as fresh
     from ${PEOPLE} join sessions s on s.id = $2 and s.account_id = a.id and s.ended_at is null
     where a.id = $1 and a.status = 'active'`,
    [accountId, sessionId],
  )
  if (!row) return undefined
  return {
    ...operatorFrom(row),
    secondFactorAt: row.second_factor_at as Date | null,
    fresh: row.fresh as boolean,
  }
}

export async function listOperators(tx: Tx): Promise<Operator[]> {
  const rows = await tx.read(`select ${COLUMNS} from ${PEOPLE} order by o.added_at, o.account_id`)
  return rows.map(operatorFrom)
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

const COLUMNS = `o.account_id, o.role, o.added_at, a.full_name, a.email, a.phone_number, a.mfa_method`
const PEOPLE = `operators o join accounts a on a.id = o.account_id and a.deleted_at is null`

function operatorFrom(row: Row): Operator {
  return {
    accountId: row.account_id as string,
    role: row.role as OperatorRole,
    fullName: row.full_name as string,
    email: row.email as string | null,
    phoneNumber: row.phone_number as string | null,
    hasAuthenticator: row.mfa_method === 'totp',
    addedAt: row.added_at as Date,
  }
}
