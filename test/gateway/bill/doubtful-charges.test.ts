import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { insertRecords } from '../../../src/activity/activity-store.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import type { Db } from '../../../src/db/db.ts'
import {
  openDoubtfulCharges,
  type DoubtfulCharge,
} from '../../../src/gateway/bill/doubtful-charges.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { withDatabase } from '../../support/databases.ts'

const PAID_IN = 100_000n
const PRICE = 700n

withDatabase('doubtful charges', (open) => {
  let db: Db
  let dataDir: string
  let folder: string
  before(async () => {
    db = await open()
    dataDir = await mkdtemp(join(tmpdir(), 'mlango-doubtful-charges-'))
    folder = join(dataDir, 'doubtful-charges')
  })
  after(async () => {
    await assertAgreement(db)
    await rm(dataDir, { recursive: true, force: true })
  })

  const openHere = () => openDoubtfulCharges({ db, dataDir, log: silentLog })

  /** An account with credits and one open hold, as a call in flight has it. */
  async function inFlight(): Promise<DoubtfulCharge> {
    const [accountId, holdId] = [uuidv7(), uuidv7()]
    const entry = { id: uuidv7(), type: 'topup' as const, key: uuidv7(), description: 'test' }
    const owner = { process: uuidv7() }
    await db.begin((tx) =>
      applyCommands(tx, [
        { kind: 'grant', accountId, amountMicro: PAID_IN, entry },
        {
          kind: 'hold',
          accountId,
          holdId,
          estimateMicro: 900n,
          minimumMicro: 900n,
          owner,
          about: {},
        },
      ]),
    )
    return { accountId, holdId, recordIds: [uuidv7()], model: 'sim/fixed' }
  }

  /** The commit whose answer was lost. */
  async function commit({ accountId, holdId, recordIds, model }: DoubtfulCharge): Promise<void> {
    const [id] = recordIds as [string]
    const about = { type: 'usage' as const, key: `usage:${id}`, description: model }
    const entry = { id, ...about, reference: { type: 'activity', id } }
    const charges = [{ costMicro: PRICE, entry }]
    const record = { id, accountId, model, requestId: `req_${id}`, kind: 'chat' as const }
    const end = { status: 'completed' as const, costMicro: PRICE, estimated: false, latencyMs: 1 }
    await db.begin(async (tx) => {
      await applyCommands(tx, [{ kind: 'settle', accountId, holdId, charges }])
      await insertRecords(tx, [{ ...record, ...end, createdAt: new Date() }], 'UTC')
    })
  }

  async function balance({ accountId }: DoubtfulCharge): Promise<bigint> {
    const [row] = await db.query<{ balance_micro: bigint }>(
      'select balance_micro from ledger_accounts where account_id = $1',
      [accountId],
    )
    return row!.balance_micro
  }

  test('a charge that was committed is given back once, and the note is gone', async () => {
    const charges = openHere()
    const charge = await inFlight()
    await commit(charge)
    await charges.note(charge)
    assert.deepEqual(await readdir(folder), [`${charge.holdId}.json`])
    await charges.giveBack()
    await charges.giveBack()
    assert.equal(await balance(charge), PAID_IN)
    assert.deepEqual(await readdir(folder), [])
  })

  test('a process that died is followed by another, or by two at once, and the charge is given back once', async () => {
    const charge = await inFlight()
    await openHere().note(charge)
    await commit(charge)
    const next = [openHere(), openHere()]
    await Promise.all(next.map((one) => one.giveBack()))
    assert.equal(await balance(charge), PAID_IN)
    assert.deepEqual(await readdir(folder), [])
  })

  test('while the hold is open nothing is decided; once it is released there is nothing to give back', async () => {
    const charges = openHere()
    const charge = await inFlight()
    await charges.note(charge)
    await charges.giveBack()
    assert.deepEqual(await readdir(folder), [`${charge.holdId}.json`])
    const { accountId, holdId } = charge
    await db.begin((tx) => applyCommands(tx, [{ kind: 'release', accountId, holdId }]))
    await charges.giveBack()
    assert.equal(await balance(charge), PAID_IN)
    assert.deepEqual(await readdir(folder), [])
  })

  test('a charge is given back from memory when the folder cannot be written', async () => {
    const blocked = join(dataDir, 'blocked')
    await writeFile(blocked, 'a file where the folder should be')
    const charges = openDoubtfulCharges({ db, dataDir: blocked, log: silentLog })
    const charge = await inFlight()
    await commit(charge)
    await charges.note(charge)
    await charges.giveBack()
    assert.equal(await balance(charge), PAID_IN)
    await rm(blocked)
  })

  test('a charge that can never be given back keeps its note, and does not hold up the others', async () => {
    const charges = openHere()
    const [never, charge] = [await inFlight(), await inFlight()]
    const { accountId, holdId } = never
    await db.begin((tx) => applyCommands(tx, [{ kind: 'release', accountId, holdId }]))
    await charges.note({ ...never, recordIds: ['no id of ours'] })
    await commit(charge)
    await charges.note(charge)
    await charges.giveBack()
    assert.equal(await balance(charge), PAID_IN)
    assert.deepEqual(await readdir(folder), [`${holdId}.json`])
    await rm(join(folder, `${holdId}.json`))
  })
})
