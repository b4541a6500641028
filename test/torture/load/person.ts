import { setTimeout as sleep } from 'node:timers/promises'
import { newCustomer } from '../../support/customer.ts'
import { PASSWORD } from '../../support/accounts.ts'
import type { World } from '../rig/world.ts'

export type Person = {
  accountId: string
  email: string
  token: string
  refresh: string | undefined
  key: string
}

/** Signs up through the API, before anything breaks; only the phone number is set in the table. */
export async function newPerson(world: World, credits: string, nth: number): Promise<Person> {
  const { db, folder: dataDir, secrets } = world
  const url = world.fleet.slots[nth % world.fleet.slots.length]!.url
  const made = await newCustomer(url, { db, dataDir }, credits)
  // The last four digits choose what the simulated provider does: from 9000 on, nothing special.
  const phone = `+25571${String(1_009_000 + nth)}`
  await db.query(
    `update accounts set phone_number = $2, phone_verified_at = now(), login_phone = $2
     where id = $1`,
    [made.accountId, phone],
  )
  const [row] = await db.query<{ email: string }>('select email from accounts where id = $1', [
    made.accountId,
  ])
  for (const secret of [made.key, made.token, made.code, PASSWORD]) secrets.add(secret)
  await sleep(0)
  return { ...made, email: row!.email, refresh: undefined }
}
