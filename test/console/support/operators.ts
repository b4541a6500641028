import type { OperatorRole } from '../../../src/accounts/principal.ts'
import { enrol, type TestOperator } from '../../support/operators.ts'
import { openSignedIn } from './people.ts'
import type { Rig, Tab, View } from './rig.ts'

export type OperatorTab = Tab & { operator: TestOperator }

/** A tab of an operator who has just passed the second factor: a new one, or a known one. */
export async function openAsOperator(
  rig: Rig,
  path: string,
  { role = 'owner', operator, ...view }: View & { role?: OperatorRole; operator?: TestOperator },
): Promise<OperatorTab> {
  const person = operator ?? (await rig.app.signUp())
  const { accountId } = person
  const { db } = rig.app
  // The sign-in itself is tested elsewhere: here it is done without the authenticator.
  const factor = (method: string) =>
    db.query('update accounts set mfa_method = $2 where id = $1', [accountId, method])
  if (operator) await factor('none')
  const tab = await openSignedIn(rig, '/login', { ...view, person })
  const known = operator ?? (await enrol(rig.app, role, person))
  await factor('totp')
  await db.query('update sessions set second_factor_at = now() where account_id = $1', [accountId])
  await tab.page.goto(rig.url + path)
  return { ...tab, operator: known }
}

/** Fills the reason in the open dialog and does what it offers. */
export async function perform({ page }: Tab, button: string, reason = 'Mteja amepiga simu') {
  const dialog = page.getByRole('dialog').last()
  await dialog.getByLabel(/^(Sababu|Reason)$/).fill(reason)
  await dialog.getByRole('button', { name: button, exact: true }).click()
}
