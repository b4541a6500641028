import type { Db } from '../../../src/db/db.ts'
import { credits } from './reckoning.ts'
import type { Tally } from './tally.ts'
import type { Thief } from './thief.ts'

type Line = { charged: bigint; waived: bigint; byThief: Map<number, bigint> }

/**
 * A line for each way to play: what upstreams billed for it, what was charged, what the service knows
 * that it gave away, and the account that cost most beyond what it paid, all in credits.
 */
export async function tableOf(db: Db, thieves: readonly Thief[], tally: Tally): Promise<string[]> {
  const asked = thieves[0]!.den.asked
  const byAccount = new Map(thieves.map((thief) => [thief.accountId, thief]))
  const records = await db.query<Record>(
    `select request_id, account_id, sum(cost_micro)::int8 as charged,
       sum(waived_micro)::int8 as waived
     from activity_records where account_id = any($1) group by request_id, account_id`,
    [[...byAccount.keys()]],
  )
  const lines = new Map<string, Line>()
  for (const { request_id: id, account_id: accountId, charged, waived } of records) {
    const line = lineIn(lines, asked.get(id) ?? UNANSWERED)
    const { nth } = byAccount.get(accountId)!
    line.charged += charged
    line.waived += waived
    line.byThief.set(nth, (line.byThief.get(nth) ?? 0n) + charged)
  }
  const names = new Set([...tally.byStrategy.keys(), ...lines.keys()])
  const rows = [...names].toSorted().map((name) => {
    const { charged, waived, byThief } = lineIn(lines, name)
    const billed = tally.byStrategy.get(name)
    const losses = thieves.map(({ nth }) => {
      const cost = tally.ofThief(nth).get(name)?.micro ?? 0n
      return { nth, lost: cost - (byThief.get(nth) ?? 0n) }
    })
    const worst = losses.toSorted((a, b) => Number(b.lost - a.lost))[0]!
    const amounts = [charged, billed?.micro ?? 0n, waived, worst.lost].map(shown)
    return [name, String(billed?.calls ?? 0), ...amounts, String(worst.nth)]
  })
  return [HEAD, ...rows].map(written)
}

type Record = { request_id: string; account_id: string; charged: bigint; waived: bigint }

/** Calls of which the thief saw no answer, so that nobody knows what they belonged to. */
const UNANSWERED = '(left unanswered)'
const HEAD = ['way to play', 'calls', 'charged', 'billed', 'waived', 'worst', 'thief']

function lineIn(lines: Map<string, Line>, name: string): Line {
  const known = lines.get(name) ?? { charged: 0n, waived: 0n, byThief: new Map<number, bigint>() }
  lines.set(name, known)
  return known
}

function shown(micro: bigint): string {
  return credits(micro).toFixed(0)
}

function written([name = '', ...cells]: string[]): string {
  return name.padEnd(38) + cells.map((cell) => cell.padStart(9)).join('')
}
