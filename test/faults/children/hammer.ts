import { randomUUID } from 'node:crypto'
import type { Command, Entry, Outcome } from '../../../src/ledger/commands.ts'
import { startHeartbeat } from '../../../src/ledger/heartbeat-store.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import { groupCommit } from '../../../src/db/group-commit.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** What one process of the hammer saw. */
export type Tally = { holds: number; closed: number; wrong: string[] }

/** Its first line, when it has its first hold; the second is the tally. */
const BEGUN = 'begun'

/**
 * Run as a process of its own: 16 callers that hold, and then close each hold from two sides at
 * once, through two group commits that race. Exactly one side may win.
 */
const [url = '', runMs = '', ...accounts] = process.argv.slice(2)
const processId = randomUUID()
const db = openDatabase({ url, poolSize: 10, log: silentLog })
await startHeartbeat(db, processId)
const sides = [0, 1].map(() =>
  groupCommit({ db, apply: (tx, items: Command[]) => applyCommands(tx, items), maxBatch: 50 }),
)
const tally: Tally = { holds: 0, closed: 0, wrong: [] }
const until = Date.now() + Number(runMs)
await Promise.all(Array.from({ length: 16 }, callUntilEnd))
console.log(JSON.stringify(tally))
await db.close()

async function callUntilEnd(): Promise<void> {
  while (Date.now() < until || tally.holds < 10) {
    const accountId = pick(accounts)
    if (Math.random() < 0.1) await grant(accountId)
    const holdId = randomUUID()
    const held = await hold(accountId, holdId)
    check(held)
    if (held.kind === 'held') await closeTwice(accountId, holdId)
  }
}

async function closeTwice(accountId: string, holdId: string): Promise<void> {
  tally.holds += 1
  if (tally.holds === 1) console.log(BEGUN)
  const outcomes = await Promise.all([
    sides[0]!.submit(Math.random() < 0.7 ? settle(accountId, holdId) : release(accountId, holdId)),
    sides[1]!.submit(Math.random() < 0.2 ? settle(accountId, holdId) : release(accountId, holdId)),
  ])
  outcomes.forEach(check)
  const won = outcomes.filter((outcome) => outcome.kind !== 'gone').length
  if (won === 1) tally.closed += 1
  else tally.wrong.push(`${won} sides closed one hold`)
}

function check(outcome: Outcome): void {
  if ('availableMicro' in outcome && outcome.availableMicro < 0n) tally.wrong.push('negative')
}

function hold(accountId: string, holdId: string): Promise<Outcome> {
  const amounts = { estimateMicro: random(80), minimumMicro: random(20) }
  const owner = { process: processId }
  return pick(sides).submit({ kind: 'hold', accountId, holdId, ...amounts, owner, about: {} })
}

function grant(accountId: string): Promise<Outcome> {
  const command = { kind: 'grant', accountId, amountMicro: random(200) + 1n, entry: entry('topup') }
  return pick(sides).submit(command as Command)
}

function settle(accountId: string, holdId: string): Command {
  const charges = [1, 2].map(() => ({ costMicro: random(60), entry: entry('usage') }))
  return { kind: 'settle', accountId, holdId, charges }
}

function release(accountId: string, holdId: string): Command {
  return { kind: 'release', accountId, holdId }
}

function entry(type: Entry['type']): Entry {
  const id = randomUUID()
  return { id, type, key: id, description: 'Hammer' }
}

function random(below: number): bigint {
  return BigInt(Math.floor(Math.random() * below))
}

function pick<T>(items: T[]): T {
  return items[Math.floor(Math.random() * items.length)]!
}
