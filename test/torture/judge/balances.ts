import { parseCredits } from '../../../src/ledger/money.ts'
import { callService } from '../load/client.ts'
import type { Players } from '../load/players.ts'
import type { World } from '../rig/world.ts'

/** What each customer is shown is what their entries add up to. */
export async function compareBalances(
  { db, fleet }: World,
  { people, history }: Players,
): Promise<void> {
  const sums = await db.query<{ account_id: string; micro: bigint }>(
    'select account_id, sum(amount_micro)::int8 as micro from ledger_entries group by account_id',
  )
  const expected = new Map(sums.map((row) => [row.account_id, row.micro]))
  for (const { accountId, key } of people) {
    const call = { endpoint: 'GET /v1/billing/balance', token: key, patienceMs: 30_000 }
    const answer = await callService(fleet.slots[0]!.url, call)
    const shown = /"balance_credits":\s*([\d.]+)/.exec(answer.text)?.[1]
    if (shown === undefined || parseCredits(shown) !== expected.get(accountId))
      history.violation(
        `balance: ${accountId} is shown ${answer.status} ${answer.text}, and has ${expected.get(accountId)}`,
      )
  }
}
