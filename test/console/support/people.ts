import assert from 'node:assert/strict'
import { PASSWORD } from '../../support/accounts.ts'
import { setBalance } from '../../support/customer.ts'
import type { Rig, Stored, Tab, View } from './rig.ts'

export type Person = { email: string; token: string; accountId: string }

/** A tab of somebody who has just signed in: a new account with these credits, or a known one. */
export async function openSignedIn(
  rig: Rig,
  path: string,
  view: View & { credits?: string; person?: Person } = {},
): Promise<Tab & { person: Person }> {
  const { credits = '100', person = await rig.app.signUp(), ...looks } = view
  await setBalance(rig.app.db, person.accountId, credits)
  const tab = await rig.open(path, looks, await signIn(rig.url, person.email))
  return { ...tab, person }
}

/** Signs in as the form does; what the browser stores of it. */
export async function signIn(url: string, identifier: string): Promise<Stored> {
  const answer = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-mlango-session': 'cookie', origin: url },
    body: JSON.stringify({ identifier, password: PASSWORD }),
  })
  assert.equal(answer.status, 200)
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(answer.headers.getSetCookie()[0]!)!
  const cookie = { name: name!, value: value!, domain: new URL(url).hostname, path: '/' }
  return {
    cookies: [{ ...cookie, expires: -1, httpOnly: true, secure: true, sameSite: 'Strict' }],
    origins: [{ origin: url, localStorage: [{ name: 'mlango_signed_in', value: '1' }] }],
  }
}
