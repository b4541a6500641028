import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { auditAccounting } from '../../../src/operators/accounting/audit.ts'
import { auditHeadJob, readHeads } from '../../../src/operators/accounting/audit-heads.ts'
import { commandActor } from '../../../src/operators/actor.ts'
import { adjust } from '../../../src/operators/adjust.ts'
import { checkAuditLog } from '../../../src/operators/audit-log.ts'
import { addOperator } from '../../../src/operators/operators.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import type { Db } from '../../../src/db/db.ts'
import { freshDb } from '../../support/databases.ts'

/* Who has the database can cut the log and seal it anew: what else there is still tells. */

let db: Db
let folder: string
const neema = commandActor('neema')
before(async () => {
  db = await freshDb()
  folder = mkdtempSync(join(tmpdir(), 'mlango-heads-'))
})
after(async () => {
  rmSync(folder, { recursive: true })
  await db.close()
})

/** As whoever owns the database could. */
const cutTo = (seq: bigint) =>
  db.begin((tx) =>
    tx.script(`alter table operator_actions disable trigger operator_actions_stay;
      delete from operator_actions where seq > ${seq};
      update operator_log set seq = ${seq},
        hash = coalesce((select hash from operator_actions where seq = ${seq}), '');
      alter table operator_actions enable trigger operator_actions_stay`),
  )
async function customer() {
  const accountId = uuidv7()
  await db.query(
    `insert into accounts (id, full_name, email, email_verified_at, status, mfa_method)
     values ($1, 'Asha', $2, now(), 'active', 'totp')`,
    [accountId, `${accountId}@example.com`],
  )
  return { accountId }
}
const give = (accountId: string) =>
  adjust(db, neema, { accountId, amountMicro: 5n, reason: 'A gift', key: uuidv7() })
const findings = async () => (await auditAccounting(db)).findings

test('what was done shows when the end of the log, which says so, is cut off and sealed again', async () => {
  const asha = await customer()
  await give(asha.accountId)
  assert.deepEqual(await findings(), [])
  const { actions } = await checkAuditLog(db)
  await give(asha.accountId)
  await addOperator(db, neema, { who: asha.accountId, role: 'owner', reason: undefined })
  await db.query(`insert into margins (scope, name, margin) values ('modality', 'text', '0.1')`)
  await cutTo(actions)
  // By itself the log is whole.
  assert.equal((await checkAuditLog(db)).finding, undefined)
  const [operator, entry, margin, ...more] = await findings()
  assert.match(operator!, /is an operator \(owner\), and no action/)
  assert.match(entry!, /^Entry \S+ of account \S+, by "neema", has no action in the log\.$/)
  assert.match(margin!, /^The margin of the modality text is 0\.1, and no action/)
  assert.deepEqual(more, [])
})

test('the last link goes out once an hour, to one process, and tells of a log that was written anew', async () => {
  const asha = await customer()
  const config = { DATA_DIR: folder, AUDIT_HEAD_TO: 'auditor@example.com' }
  const jobs = [1, 2, 3].map(() => auditHeadJob({ db, config }))
  const run = () => Promise.all(jobs.map((job) => job.run(AbortSignal.timeout(600_000))))
  const anHourPasses = () =>
    db.query(`update operator_log set told_at = told_at - interval '1 hour'`)
  await give(asha.accountId)
  await run()
  await give(asha.accountId)
  await run()
  assert.equal(readHeads(folder).length, 1)
  await anHourPasses()
  await run()
  await anHourPasses()
  await run()
  const heads = readHeads(folder)
  assert.equal(heads.length, 2)
  const mails = await db.query(
    `select body from outbox where recipient = 'auditor@example.com' order by id`,
  )
  assert.equal(mails.length, 2)
  assert.ok(String(mails[1]!.body).includes(heads[1]!.hash))
  assert.equal((await checkAuditLog(db, heads)).finding, undefined)

  const { seq } = heads[1]!
  await cutTo(seq - 1n)
  assert.match((await checkAuditLog(db, heads)).finding!, /was noted, and the log ends with/)
  await give(asha.accountId)
  assert.match((await checkAuditLog(db, heads)).finding!, /is not the one whose hash was noted/)
  const { log } = await auditAccounting(db, { heads })
  assert.match(log.finding!, /written anew/)

  const file = join(folder, 'audit-heads.txt')
  writeFileSync(file, `${readFileSync(file, 'utf8')}nonsense\n`)
  assert.equal(readHeads(folder).length, 2)
})
