import { PASSWORD } from '../../support/accounts.ts'
import { setBalance } from '../../support/customer.ts'
import type { Rig, Tab, View } from './rig.ts'

export type Person = { email: string; token: string; accountId: string }

/** A tab of somebody who has just signed in: a new account with these credits, or a known one. */
export async function openSignedIn(
  rig: Rig,
  path: string,
  view: View & { credits?: string; person?: Person } = {},
): Promise<Tab & { person: Person }> {
  const { credits = '100', person = await rig.app.signUp(), ...looks } = view
  await setBalance(rig.app.db, person.accountId, credits)
  const tab = await rig.open('/login', looks)
  const body = JSON.stringify({ identifier: person.email, password: PASSWORD })
  await tab.page.evaluate(`(${SIGN_IN})(${body})`)
  await tab.page.goto(rig.url + path)
  return { ...tab, person }
}

/** Runs in the page: what the form does, without the form. */
const SIGN_IN = `async (body) => {
  const answer = await fetch('/v1/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-mlango-session': 'cookie' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  localStorage.setItem('mlango_signed_in', '1')
}`
