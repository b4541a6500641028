import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertAudit } from '../support/money/audit.ts'
import { newCustomer } from '../support/customer.ts'
import { freshDatabase } from '../support/databases.ts'
import { startReplica, startShared, type Replica } from '../support/replica.ts'
import { startTalker, type Talker } from '../support/models/talker.ts'

/* Two processes on one database cannot be played off against each other. */

/** 0.0075 credits a token that goes in, 0.03 one that comes out. */
const MODEL = {
  id: 'talk/dear',
  name: 'Dear',
  context_length: 131_072,
  top_provider: { max_completion_tokens: 16_384 },
  architecture: { input_modalities: ['text'], output_modalities: ['text'] },
  pricing: { prompt: '0.0000025', completion: '0.00001' },
  supported_parameters: ['max_tokens'],
}

let shared: Awaited<ReturnType<typeof startShared>>
let talker: Talker
let replicas: Replica[]
let db: Db
before(async () => {
  shared = await startShared()
  // Slow: other processes than ours count what it says, on a machine that may be busy.
  talker = await startTalker({ 'talk/dear': { tokens: 4, everyMs: 40 } })
  const upstream = { name: 'talk', type: 'openai', base_url: talker.url, sync: false }
  const file = join(shared.folder, 'talker.json')
  await writeFile(file, JSON.stringify({ upstreams: [{ ...upstream, models: [MODEL] }] }))
  const url = await freshDatabase()
  db = openDatabase({ url, poolSize: 4, log: silentLog })
  const env = { ...shared.env, UPSTREAMS_FILE: file, DATABASE_URL: url }
  replicas = [await startReplica(env), await startReplica(env)]
})
after(async () => {
  for (const replica of replicas) replica.kill('SIGTERM')
  await Promise.all(replicas.map((replica) => replica.ended))
  await db.close()
  await shared.close()
  await talker.close()
})

async function ask(url: string, key: string, stream: boolean): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL.id,
      stream,
      messages: [{ role: 'user', content: '7'.repeat(100) }],
    }),
  })
  await answer.text()
  return answer.status
}

const customer = (credits: string) =>
  newCustomer(replicas[0]!.url, { db, dataDir: shared.folder }, credits)

test('twenty at once over two processes cost no more than is paid', async () => {
  const { key, accountId } = await customer('40')
  const calls = Array.from({ length: 20 }, (_, i) => ask(replicas[i % 2]!.url, key, i % 4 < 2))
  for (const status of await Promise.all(calls)) assert.ok(status === 200 || status === 402)
  const cost = talker.calls.reduce(
    (sum, call) => sum + call.promptTokens * 0.0075 + call.said * 0.03,
    0,
  )
  const [row] = await db.query<{ sum: string }>(
    `select coalesce(sum(-amount_micro), 0)::text as sum from ledger_entries
     where account_id = $1 and type = 'usage'`,
    [accountId],
  )
  const paid = Number(row!.sum) / 1e6
  assert.ok(cost - paid <= paid / 10 + 10, `cost ${cost}, paid ${paid}`)
  await assertAudit(db)
})

test('the books are right after one of them was killed in the middle', async () => {
  const { key } = await customer('60')
  const said = () => talker.calls.reduce((sum, call) => sum + call.said, 0)
  talker.calls.length = 0
  const calls = Array.from({ length: 6 }, (_, i) => ask(replicas[i % 2]!.url, key, i % 4 < 2))
  const ends = Promise.allSettled(calls)
  // Some have been given more than they began with.
  while (said() < 6 * 200) await wait(20)
  replicas[1]!.kill('SIGKILL')
  await ends
  await replicas[1]!.ended
  await assertAudit(db)
  const [sums] = await db.query<{ limits: bigint; held: bigint; open: bigint }>(
    `select limits_micro as limits, held_micro as held,
       (select coalesce(sum(limit_micro), 0)::int8 from holds) as open
     from ledger_accounts where limits_micro > 0`,
  )
  assert.equal(sums!.limits, sums!.open)
  assert.ok(sums!.limits > sums!.held)
})
