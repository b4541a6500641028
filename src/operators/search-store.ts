import { KEY_PREFIX } from '../accounts/credentials/credential-caches.ts'
import { readIdentifier } from '../accounts/identifiers.ts'
import { as, columns, int8, oneOf, orNull, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { isUuid } from '../lib/ids.ts'

const FOUND = columns({
  id: text,
  fullName: text,
  email: orNull(text),
  phoneNumber: orNull(text),
  status: oneOf<'pending_verification' | 'active' | 'suspended'>(),
  balanceMicro: as('coalesce(balance_micro, 0)', int8),
  createdAt: time,
})
export type FoundAccount = RowOf<typeof FOUND>

type Search = {
  q: string | undefined
  status: FoundAccount['status'] | undefined
  /** Only accounts made before this one. */
  before: string | undefined
  limit: number
}

/**
 * Newest first. The search text is a whole email address, phone number, id of an account, key or
 * payment, reference of a payment, or the beginning of a key; an index finds each.
 */
export async function searchAccounts(tx: Tx, search: Search): Promise<FoundAccount[]> {
  const { condition, value } = meaningOf(search.q?.trim())
  const rows = await tx.read(
    `select ${FOUND.list} from accounts a left join ledger_accounts l on l.account_id = a.id
     where a.deleted_at is null and ($1::text is null or ${condition})
       and ($2::text is null or a.status = $2) and ($3::uuid is null or a.id < $3)
     order by a.id desc limit $4`,
    [value, search.status ?? null, search.before ?? null, search.limit],
  )
  return FOUND.all(rows)
}

function meaningOf(q: string | undefined): { condition: string; value: string | null } {
  if (q === undefined || q === '') return { condition: 'true', value: null }
  if (isUuid(q)) return { condition: BY_ID, value: q.toLowerCase() }
  if (q.startsWith(KEY_PREFIX)) return { condition: BY_KEY, value: q.slice(0, KEY_PREFIX_LENGTH) }
  const who = readIdentifier(q)
  if (who?.channel === 'email') return { condition: 'a.email = $1', value: who.value }
  if (who) return { condition: '(a.phone_number = $1 or a.login_phone = $1)', value: who.value }
  return { condition: BY_PAYMENT, value: q }
}

const KEY_PREFIX_LENGTH = 12
const BY_ID = `a.id in (select $1::uuid
  union select account_id from api_keys where id = $1::uuid
  union select account_id from payments where id = $1::uuid)`
const BY_KEY = 'a.id in (select account_id from api_keys where prefix = $1)'
const BY_PAYMENT = `a.id in (select account_id from payments where reference = $1
  union select account_id from payments where provider_ref = $1)`
