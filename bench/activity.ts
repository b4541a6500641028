import { Client } from 'pg'
import type { Db } from '../src/db/db.ts'
import { openDatabase } from '../src/db/database.ts'
import { silentLog } from '../src/lib/log.ts'
import { migratedDatabase } from '../test/support/databases.ts'
import { startTestServer } from '../test/support/local-server.ts'
import { ACCOUNT, DEEP_READS, FLAT_READS, type Read } from './activity-reads.ts'
import { seed } from './activity-seed.ts'
import { median } from './statistics.ts'

const ROUNDS = 200
const FEW = '10,000 records'
const MANY = '1,000,000 of 5,000,000'

/** Activity reads stay flat: 10,000 records against 1,000,000 of 5,000,000, on PostgreSQL. */
export const activity = {
  name: 'activity',
  async run() {
    const server = await startTestServer()
    const few = await seeded(server.url, { rows: 10_000, everyNth: 1 })
    const many = await seeded(server.url, { rows: 5_000_000, everyNth: 5 })
    try {
      const flat = []
      for (const read of FLAT_READS) flat.push(...(await compare(read, few, many)))
      const deep = []
      for (const read of DEEP_READS) {
        const [ms] = await medians(read, [many], 10)
        deep.push({ what: `${read.name}, ${MANY}`, value: ms!, unit: 'ms' })
      }
      return [...flat, ...deep]
    } finally {
      await few.close()
      await many.close()
      await server.stop()
    }
  },
}

async function seeded(url: string, plan: { rows: number; everyNth: number }): Promise<Db> {
  const own = await migratedDatabase(url)
  const db = openDatabase({ url: own, poolSize: 2, log: silentLog })
  const client = new Client({ connectionString: own })
  await client.connect()
  await seed(client, { ...plan, accountId: ACCOUNT })
  await client.end()
  return db
}

async function compare(read: Read, few: Db, many: Db) {
  const [fewMs, manyMs] = await medians(read, [few, many], ROUNDS)
  const base = `${read.name}, ${FEW}`
  // Half as fast is twice the cost.
  const ratio = { of: base, value: fewMs! / manyMs!, atLeast: 0.5 }
  return [
    { what: base, value: fewMs!, unit: 'ms' },
    { what: `${read.name}, ${MANY}`, value: manyMs!, unit: 'ms', ratio },
  ]
}

/** Takes turns between the databases, so that a disturbance affects both. */
async function medians(read: Read, dbs: Db[], rounds: number): Promise<number[]> {
  const spent: number[][] = dbs.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, db] of dbs.entries()) {
      const startedMs = performance.now()
      const { rows } = await read.run(db)
      spent[i]!.push(performance.now() - startedMs)
      if (rows < 10) throw new Error(`${read.name} found only ${rows}.`)
    }
  }
  return spent.map(median)
}
