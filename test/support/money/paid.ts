import assert from 'node:assert/strict'
import { assertAgreement } from './agreement.ts'
import type { startApp } from '../app.ts'
import { noHolds } from './no-holds.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Row = { kind: string; status: string; model: string; cost_micro: bigint; estimated: boolean }

/** Watches the balance and the records of one account. */
export function watch(app: App, accountId: string) {
  const records = () =>
    app.db.query<Row & { error_code: string | null }>(
      `select kind, status, model, cost_micro, estimated, error_code from activity_records
       where account_id = $1 order by created_at, kind`,
      [accountId],
    )
  const balance = async () => {
    const [row] = await app.db.query<{ balance_micro: bigint }>(
      'select balance_micro from ledger_accounts where account_id = $1',
      [accountId],
    )
    return row!.balance_micro
  }
  return {
    /** Runs the work and gives the records it added and the credits it took, once no hold is left. */
    async during<Result>(act: () => Promise<Result>) {
      const [known, before] = [(await records()).length, await balance()]
      const result = await act()
      await noHolds(app)
      await assertAgreement(app.db)
      const rows = (await records()).slice(known)
      const spent = before - (await balance())
      assert.equal(
        rows.reduce((sum, row) => sum + row.cost_micro, 0n),
        spent,
        'the records add up to what was taken',
      )
      return { result, records: rows, spent: Number(spent) / 1e6 }
    },
  }
}
