import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertAudit } from '../support/money/audit.ts'
import { runMlango } from '../support/command.ts'
import { newCustomer } from '../support/customer.ts'
import { freshDatabase } from '../support/databases.ts'
import { startReplica, startShared, type Replica } from '../support/replica.ts'
import { eventually } from '../support/eventually.ts'
import { assertAgreement } from '../support/money/agreement.ts'
import { sweep } from '../support/money/billing.ts'
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

/** A word a second. */
const SLOW = { ...MODEL, id: 'talk/slow' }

let shared: Awaited<ReturnType<typeof startShared>>
let talker: Talker
let replicas: Replica[]
let db: Db
let serviceEnv: Record<string, string>
before(async () => {
  shared = await startShared()
  // Slow: other processes than ours count what it says, on a machine that may be busy.
  talker = await startTalker({
    [MODEL.id]: { tokens: 4, everyMs: 40 },
    [SLOW.id]: { tokens: 1, everyMs: 1_000 },
  })
  const upstream = { name: 'talk', type: 'openai', base_url: talker.url, sync: false }
  const file = join(shared.folder, 'talker.json')
  await writeFile(file, JSON.stringify({ upstreams: [{ ...upstream, models: [MODEL, SLOW] }] }))
  const url = await freshDatabase()
  db = openDatabase({ url, poolSize: 4, log: silentLog })
  serviceEnv = { ...shared.env, UPSTREAMS_FILE: file, DATABASE_URL: url }
  replicas = [await startReplica(serviceEnv), await startReplica(serviceEnv)]
})
after(async () => {
  for (const replica of replicas) replica.kill('SIGTERM')
  await Promise.all(replicas.map((replica) => replica.ended))
  await db.close()
  await shared.close()
  await talker.close()
})

function send(url: string, key: string, more: Record<string, unknown>): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL.id,
      messages: [{ role: 'user', content: '7'.repeat(100) }],
      ...more,
    }),
  })
}

async function ask(url: string, key: string, stream: boolean): Promise<number> {
  const answer = await send(url, key, { stream })
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

test('the books are right while an operator adjusts from a process with other settings', async () => {
  const { key, accountId } = await customer('2000')
  const others = {
    RESERVATION_CAP_CREDITS: '0.5',
    MIN_RESERVATION_CREDITS: '5',
    DATABASE_POOL: '2',
  }
  const adjust = async (credits: string) => {
    const by = ['--reason', 'test', '--operator', 'asha']
    const args = ['accounts', 'adjust', accountId, credits, ...by]
    const { code, err } = await runMlango({ ...serviceEnv, ...others }, ...args)
    assert.equal(code, 0, err)
  }
  let calls = 0
  const working = new AbortController()
  const callers = replicas.map(async ({ url }) => {
    while (!working.signal.aborted) {
      assert.equal((await send(url, key, { model: SLOW.id, max_tokens: 1 })).status, 200)
      calls += 1
    }
  })
  await Promise.all([adjust('7'), adjust('-3')])
  working.abort()
  await Promise.all(callers)
  const [row] = await db.query<{ balance_micro: bigint; held_micro: bigint }>(
    'select balance_micro, held_micro from ledger_accounts where account_id = $1',
    [accountId],
  )
  const [charged] = await db.query<{ sum: bigint; count: bigint }>(
    `select sum(-amount_micro)::int8 as sum, count(*) from ledger_entries
     where account_id = $1 and type = 'usage'`,
    [accountId],
  )
  assert.equal(charged!.count, BigInt(calls))
  assert.deepEqual(row, { balance_micro: 2_004_000_000n - charged!.sum, held_micro: 0n })
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

test('every call that a killed process was answering has its record', async () => {
  const { url, kill, ended } = replicas[0]!
  // An account that the process knows and that can easily pay begins beside its hold.
  const [rich, poor] = [await customer('2000'), await customer('20')]
  await (await send(url, rich.key, { model: SLOW.id, max_tokens: 1 })).text()
  const slow = { model: SLOW.id, max_tokens: 200 }
  const streams = [rich, poor].map(async ({ key }) => {
    const answer = await send(url, key, { ...slow, stream: true })
    await answer.body!.getReader().read()
    return answer.headers.get('x-request-id')!
  })
  const whole = send(url, rich.key, slow).catch(() => undefined)
  const begun = await Promise.all(streams)
  const ofThese = 'select id from holds where account_id = any($1::uuid[])'
  const accounts = [rich.accountId, poor.accountId]
  const holds = await eventually('three holds', async () => {
    const rows = await db.query<{ id: string }>(ofThese, [accounts])
    return rows.length === 3 && rows.map(({ id }) => id)
  })
  kill('SIGKILL')
  await Promise.all([ended, whole])
  await db.script(`update processes set beat_at = now() - interval '21 s';
    update holds set created_at = now() - interval '21 s'`)
  await sweep(db)
  const records = await db.query<{ request_id: string; error_code: string }>(
    'select request_id, error_code from activity_records where id = any($1::uuid[])',
    [holds],
  )
  assert.deepEqual(
    records.map(({ error_code }) => error_code),
    ['interrupted', 'interrupted', 'interrupted'],
  )
  const recorded = records.map(({ request_id }) => request_id)
  assert.deepEqual(begun.toSorted(), begun.filter((id) => recorded.includes(id)).toSorted())
  await assertAgreement(db)
})
