import { randomUUID } from 'node:crypto'
import type { Command, Entry, Outcome } from '../src/ledger/commands.ts'
import { applyCommands } from '../src/ledger/ledger-store.ts'
import type { Db } from '../src/db/db.ts'
import { groupCommit } from '../src/db/group-commit.ts'
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/database.ts'
import { serverVersion } from '../src/db/server-version.ts'
import { silentLog } from '../src/lib/log.ts'
import { startTestServer } from '../test/support/local-server.ts'
import type { Bench, Row } from './row.ts'

const CALLERS = 64
const ACCOUNTS = 500
const RUN_MS = 4_000
const WARM_MS = 1_000
const UNIT = 'reserve+settle pairs/s'

/** Group commit against one transaction per step, with fsync on. */
export const ledger: Bench = {
  name: 'ledger',
  async run() {
    const server = await startTestServer({ durable: true })
    const db = openDatabase({ url: server.url, poolSize: 20, log: silentLog })
    try {
      return await compare(db)
    } finally {
      await db.close()
      await server.stop()
    }
  },
}

type Submit = (command: Command) => Promise<Outcome>

async function compare(db: Db): Promise<Row[]> {
  await migrate(db, silentLog)
  const engine = `PostgreSQL ${(await serverVersion(db)).text.split(' ')[0]}`
  const accounts = Array.from({ length: ACCOUNTS }, () => randomUUID())
  await db.begin((tx) => applyCommands(tx, accounts.map(bigGrant)))
  const grouped = groupCommit({ db, apply: (tx, items: Command[]) => applyCommands(tx, items) })
  const oneByOne: Submit = async (command) =>
    (await db.begin((tx) => applyCommands(tx, [command])))[0]!
  const steps = await pairsPerSecond(oneByOne, accounts)
  const groups = await pairsPerSecond((command) => grouped.submit(command), accounts)
  const hotSteps = await pairsPerSecond(oneByOne, accounts.slice(0, 1))
  const hot = await pairsPerSecond((command) => grouped.submit(command), accounts.slice(0, 1))
  const each = `${engine}, one transaction per step`
  return [
    { what: each, value: steps, unit: UNIT },
    {
      what: `${engine}, group commit`,
      value: groups,
      unit: UNIT,
      ratio: { of: each, value: groups / steps, atLeast: 4 },
    },
    { what: `${each}, one hot account`, value: hotSteps, unit: UNIT },
    {
      what: `${engine}, group commit, one hot account`,
      value: hot,
      unit: UNIT,
      ratio: { of: 'the same, one transaction per step', value: hot / hotSteps },
    },
  ]
}

async function pairsPerSecond(submit: Submit, accounts: string[]): Promise<number> {
  const start = performance.now()
  let pairs = 0
  const call = async () => {
    while (performance.now() - start < WARM_MS + RUN_MS) {
      await reserveAndSettle(submit, accounts[Math.floor(Math.random() * accounts.length)]!)
      if (performance.now() - start >= WARM_MS) pairs += 1
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
  return pairs / ((performance.now() - start - WARM_MS) / 1_000)
}

async function reserveAndSettle(submit: Submit, accountId: string): Promise<void> {
  const holdId = randomUUID()
  const amounts = { estimateMicro: 10_000n, minimumMicro: 100n }
  const owner = { process: PROCESS }
  const about = { model: 'bench', kind: 'chat' }
  const held = await submit({ kind: 'hold', accountId, holdId, ...amounts, owner, about })
  const charges = [{ costMicro: 5_000n, entry: entry('usage') }]
  const settled = await submit({ kind: 'settle', accountId, holdId, charges })
  if (held.kind !== 'held' || settled.kind !== 'settled')
    throw new Error('An account of the benchmark has no credits left.')
}

const PROCESS = randomUUID()

function bigGrant(accountId: string): Command {
  return { kind: 'grant', accountId, amountMicro: 10n ** 15n, entry: entry('topup') }
}

function entry(type: Entry['type']): Entry {
  const id = randomUUID()
  return { id, type, key: `${type}:${id}`, description: 'Bench', reference: { type: 'call', id } }
}
