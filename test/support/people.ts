import type { Tx } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'

/** An active account written straight into the table, for tests that only need its contact data. */
export async function insertPerson(
  tx: Tx,
  person: { email?: string; phone?: string; locale?: 'sw' | 'en'; verified?: boolean } = {},
): Promise<string> {
  const id = uuidv7()
  const provenAt = person.verified === false ? null : new Date()
  const phone = person.phone ?? null
  await tx.query(
    `insert into accounts (id, full_name, email, email_verified_at, phone_number,
       phone_verified_at, login_phone, status, locale)
     values ($1, 'Asha', $2, $3, $4, $5, $6, 'active', $7)`,
    [
      id,
      person.email ?? null,
      person.email ? provenAt : null,
      phone,
      phone ? provenAt : null,
      provenAt ? phone : null,
      person.locale ?? 'sw',
    ],
  )
  return id
}
