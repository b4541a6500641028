import type { OperatorRole } from '../../../src/accounts/principal.ts'
import { enrol, type TestOperator } from '../../support/operators.ts'
import { signIn } from './people.ts'
import type { Rig, Tab, View } from './rig.ts'

export type OperatorTab = Tab & { operator: TestOperator }

/** A tab of an operator who has just passed the second factor: a new one, or a known one. */
export async function openAsOperator(
  rig: Rig,
  path: string,
  { role = 'owner', operator, ...view }: View & { role?: OperatorRole; operator?: TestOperator },
): Promise<OperatorTab> {
  const { app } = rig
  const known = operator ?? (await enrol(app, role, await app.signUp()))
  const { accountId } = known
  // The sign-in itself is tested elsewhere: here it is done without the authenticator.
  const factor = (method: string) =>
    app.db.query('update accounts set mfa_method = $2 where id = $1', [accountId, method])
  await factor('none')
  const session = await signIn(rig.url, known.email)
  await factor('totp')
  await app.db.query('update sessions set second_factor_at = now() where account_id = $1', [
    accountId,
  ])
  const tab = await rig.open(path, view, session)
  return { ...tab, operator: known }
}

/** Fills the reason in the open dialog and does what it offers. */
export async function perform({ page }: Tab, button: string, reason = 'Mteja amepiga simu') {
  const dialog = page.getByRole('dialog').last()
  await dialog.getByLabel(/^(Sababu|Reason)$/).fill(reason)
  await dialog.getByRole('button', { name: button, exact: true }).click()
}
