import { setTimeout as sleep } from 'node:timers/promises'
import { freshPhone } from '../../support/accounts.ts'
import type { Rig } from './rig.ts'
import type { Person } from './people.ts'

/** An account that has been used for two weeks: keys, calls of several kinds, two payments. */
export async function usedAccount(rig: Rig): Promise<Person & { key: string; phone: string }> {
  const { app } = rig
  const person = await app.signUp()
  const phone = freshPhone()
  await withPhone(rig, person, phone)
  const { token } = person
  const call = (line: string, body: unknown, as = token) => app.call(line, { token: as, body })
  const space = await call('POST /v1/workspaces', { name: 'Duka la Kariakoo' })
  const made = await call('POST /v1/api-keys', { name: 'Tovuti ya duka' })
  await call('POST /v1/api-keys', { name: 'Simu ya Asha', workspace_id: space.body.data.id })
  const key = made.body.data.key as string
  for (const amount_tzs of [5_000, 1_003]) {
    const paid = await call('POST /v1/payments/topup', { amount_tzs })
    await ended(rig, token, paid.body.data.id as string)
  }
  for (const [at, model] of MODELS.entries()) {
    const body = { model, messages: [{ role: 'user', content: `Habari ya leo? ${at}`.repeat(20) }] }
    await call('POST /v1/chat/completions', body, key)
  }
  await fetch(`${rig.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Habari za asubuhi, karibu sana.' }),
  })
  await spreadOverDays(rig, person.accountId)
  return { ...person, key, phone }
}

const HEKIMA = ['sim/hekima', 'sim/hekima-mini']
const MODELS = [
  ...HEKIMA,
  ...HEKIMA,
  ...HEKIMA,
  ...HEKIMA,
  ...HEKIMA,
  'sim/hekima',
  'no/such-model',
]

/** A verified number, whose last digits choose how its payments end. */
export async function withPhone(rig: Rig, person: Person, phone: string): Promise<void> {
  await rig.app.db.query(
    `update accounts set phone_number = $2, login_phone = $2, phone_verified_at = now() where id = $1`,
    [person.accountId, phone],
  )
}

async function ended(rig: Rig, token: string, id: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await rig.app.call(`GET /v1/payments/${id}`, { token })
    if (body.data.status !== 'pending') return
    await sleep(25)
  }
  throw new Error('the payment did not end')
}

async function spreadOverDays(rig: Rig, accountId: string): Promise<void> {
  await rig.app.db.query(
    `update activity_records set created_at = created_at - (age.place % 11) * interval '1 day'
     from (select id, row_number() over (order by id desc) - 1 as place
           from activity_records where account_id = $1) as age
     where activity_records.id = age.id`,
    [accountId],
  )
}
