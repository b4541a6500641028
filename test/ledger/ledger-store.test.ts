import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import { auditLedger } from '../../src/ledger/audit-store.ts'
import type { Command, Outcome } from '../../src/ledger/commands.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import type { LedgerChanges } from '../../src/ledger/ledger-batch.ts'
import { writeLocked } from '../../src/ledger/ledger-write-store.ts'
import type { Db } from '../../src/db/db.ts'
import { assertAudit } from '../support/money/audit.ts'
import { withDatabase } from '../support/databases.ts'
import { freshWorld, inWorld, sketch, type World } from './commands.ts'
import { Model } from './model.ts'

withDatabase('ledger store', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })
  after(() => assertAudit(db))

  const apply = (commands: Command[]) => db.begin((tx) => applyCommands(tx, commands))

  async function assertSame(world: World, model: Model): Promise<void> {
    const rows = await db.query<{ account_id: string } & Record<string, bigint>>(
      'select * from ledger_accounts where account_id = any($1::uuid[])',
      [world.accounts],
    )
    for (const row of rows) {
      assert.equal(row.balance_micro, model.total(row.account_id))
      assert.equal(row.held_micro, model.held(row.account_id))
      assert.equal(row.limits_micro, model.limits(row.account_id))
      assert.equal(row.gift_micro, model.gift(row.account_id))
    }
    const entries = await db.query<{ key: string; amount_micro: bigint }>(
      'select key, amount_micro from ledger_entries where key like $1',
      [`${world.keyPrefix}:%`],
    )
    assert.deepEqual(new Map(entries.map((row) => [row.key, row.amount_micro])), model.booked)
  }

  test('single commands do what the plain model does', async () => {
    const property = fc.asyncProperty(
      fc.array(sketch, { minLength: 1, maxLength: 25 }),
      async (sketches) => {
        const world = freshWorld()
        const model = new Model()
        for (const command of sketches.map((one) => inWorld(world, one))) {
          assert.deepEqual(await apply([command]), [model.apply(command)])
        }
        await assertSame(world, model)
      },
    )
    await fc.assert(property, { numRuns: 25 })
  })

  test('batches of any size do what single commands do', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.array(sketch, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 4 }),
      async (batches) => {
        const world = freshWorld()
        const model = new Model()
        for (const batch of batches) {
          const commands = batch.map((one) => inWorld(world, one))
          const expected = commands.map((command) => model.apply(command))
          assert.deepEqual(await apply(commands), expected)
        }
        await assertSame(world, model)
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })

  test('a hold that is closed and made again in one batch is the new one', async () => {
    const [accountId, holdId] = [randomUUID(), randomUUID()]
    const entry = { id: randomUUID(), type: 'topup' as const, key: randomUUID(), description: '' }
    const owner = { process: randomUUID() }
    const hold = (amount: bigint, word: string) =>
      ({
        kind: 'hold',
        accountId,
        holdId,
        estimateMicro: amount,
        minimumMicro: amount,
        owner,
        about: { word },
      }) as const
    await apply([{ kind: 'grant', accountId, amountMicro: 100n, entry }, hold(10n, 'old')])
    await apply([{ kind: 'release', accountId, holdId }, hold(20n, 'new')])
    const rows = await db.query('select amount_micro, about from holds where id = $1', [holdId])
    assert.deepEqual(rows, [{ amount_micro: 20n, about: { word: 'new' } }])
    await apply([{ kind: 'release', accountId, holdId }])
  })

  test('batches that make accounts queue up instead of deadlocking', async () => {
    for (let round = 0; round < 25; round++) {
      const fresh = Array.from({ length: 8 }, () => randomUUID())
      const batches = Array.from({ length: 8 }, () => fresh.filter(() => Math.random() < 0.5))
      await Promise.all(batches.map((ids) => apply(ids.map((id) => grantOf(id, 1n)))))
    }
  })

  test('grants of one key in parallel are one grant', async () => {
    const accountId = randomUUID()
    const key = `topup:${randomUUID()}`
    const grants = Array.from({ length: 20 }, () =>
      apply([
        {
          kind: 'grant',
          accountId,
          amountMicro: 5n,
          entry: { id: randomUUID(), type: 'topup', key, description: 'Top-up' },
        },
      ]),
    )
    const outcomes = (await Promise.all(grants)).flat()
    assert.equal(outcomes.filter((outcome) => outcome.kind === 'posted').length, 1)
    assert.equal(outcomes.filter((outcome) => outcome.kind === 'duplicate').length, 19)
  })

  test('parallel holds never take more than there is', async () => {
    const accountId = randomUUID()
    await grant(accountId, 100n)
    const holds = Array.from({ length: 50 }, () => hold(accountId, 10n))
    const outcomes = await Promise.all(holds)
    assert.equal(outcomes.filter((outcome) => outcome.kind === 'held').length, 10)
  })

  test('an entry keeps all that is told about it', async () => {
    const accountId = randomUUID()
    const workspaceId = randomUUID()
    const id = randomUUID()
    const reference = { type: 'payment', id: 'p1' }
    const entry = { id, type: 'topup', key: `k:${id}`, description: 'Ongeza "salio"' } as const
    await apply([
      {
        kind: 'adjust',
        accountId,
        amountMicro: 7n,
        entry: { ...entry, reference, workspaceId, operator: 'asha' },
      },
    ])
    const [row] = await db.query('select * from ledger_entries where id = $1', [id])
    const { seq, created_at, ...rest } = row!
    assert.equal(typeof seq, 'bigint')
    assert(created_at instanceof Date)
    assert.deepEqual(rest, {
      id,
      account_id: accountId,
      type: 'topup',
      amount_micro: 7n,
      balance_after_micro: 7n,
      key: entry.key,
      description: entry.description,
      reference_type: 'payment',
      reference_id: 'p1',
      workspace_id: workspaceId,
      operator: 'asha',
      ordinal: 1n,
    })
  })

  test('what an account cannot pay is booked as uncollected', async () => {
    const accountId = randomUUID()
    await grant(accountId, 10n)
    const holdId = randomUUID()
    await hold(accountId, 4n, holdId)
    const entry = (n: number) => ({
      id: randomUUID(),
      type: 'usage' as const,
      key: `usage:${holdId}:${n}`,
      description: 'Voice',
    })
    const charges = [
      { costMicro: 8n, entry: entry(1) },
      { costMicro: 5n, entry: entry(2) },
    ]
    const [outcome] = await apply([{ kind: 'settle', accountId, holdId, charges }])
    assert.deepEqual(outcome, {
      kind: 'settled',
      chargedMicro: [8n, 2n],
      giftMicro: [0n, 0n],
      uncollectedMicro: 3n,
      balanceMicro: 0n,
      availableMicro: 0n,
    })
    const lost = await db.query('select key, amount_micro from uncollected where account_id = $1', [
      accountId,
    ])
    assert.deepEqual(lost, [{ key: `usage:${holdId}:2`, amount_micro: 3n }])
  })

  test('a command that can only be a bug changes nothing', async () => {
    const accountId = randomUUID()
    await assert.rejects(grant(accountId, 0n), /more than zero/)
    await assert.rejects(hold(accountId, -1n), /not negative/)
    const [other, holdId] = [randomUUID(), randomUUID()]
    await grant(other, 1n)
    await hold(other, 0n, holdId)
    await assert.rejects(hold(accountId, 0n, holdId), /share the id/)
    assert.deepEqual(
      await db.query('select * from ledger_accounts where account_id = $1', [accountId]),
      [],
    )
  })

  test('closing a hold that is not there takes the whole batch with it', async () => {
    const accountId = randomUUID()
    await grant(accountId, 10n)
    const none = { heldMicro: 0n, limitsMicro: 0n, giftMicro: 0n }
    const account = { balanceMicro: 10n, ...none, entries: 1n, version: 1n, steady: 0 }
    const hold = { holdId: randomUUID(), accountId, amountMicro: 1n, limitMicro: 1n }
    const changes: LedgerChanges = {
      accounts: [{ accountId, before: account, after: { ...account, balanceMicro: 1n } }],
      entries: [],
      closed: [{ ...hold, owner: { process: randomUUID() } }],
      opened: [],
      rewritten: [],
      uncollected: [],
    }
    const broken = db.begin((tx) => writeLocked(tx, changes))
    await assert.rejects(broken, /a hold was closed without its account being locked/)
    const [row] = await db.query(
      'select balance_micro from ledger_accounts where account_id = $1',
      [accountId],
    )
    assert.deepEqual(row, { balance_micro: 10n })
  })

  test('entries cannot be changed, removed or truncated', async () => {
    for (const sql of [
      `update ledger_entries set amount_micro = 1`,
      'delete from ledger_entries',
      'truncate ledger_entries',
    ]) {
      await assert.rejects(db.query(sql), /only ever added/)
    }
  })

  test('the table itself refuses a negative balance and more held than there is', async () => {
    const accountId = randomUUID()
    await grant(accountId, 5n)
    for (const change of ['balance_micro = -1', 'held_micro = 6', 'held_micro = -1']) {
      const update = `update ledger_accounts set ${change} where account_id = $1`
      await assert.rejects(db.query(update, [accountId]), /held_within_balance/)
    }
  })

  test('the table itself refuses an entry of an unknown type, of nothing, or into debt', async () => {
    const insert = (type: string, amount: number, after: number) =>
      db.query(
        `insert into ledger_entries
           (id, account_id, type, amount_micro, balance_after_micro, key, description, ordinal)
         values ($1, $1, $2, $3, $4, 'refused', '', 1)`,
        [randomUUID(), type, amount, after],
      )
    await assert.rejects(insert('gift', 5, 5), /ledger_entries_type_check/)
    await assert.rejects(insert('usage', 0, 5), /amount_micro_check/)
    await assert.rejects(insert('usage', -5, -1), /balance_after_micro_check/)
  })

  test('an audit names the account whose books do not balance', async () => {
    const accountId = randomUUID()
    await grant(accountId, 5n)
    await db.query('update ledger_accounts set balance_micro = 9 where account_id = $1', [
      accountId,
    ])
    const { findings } = await auditLedger(db)
    assert.deepEqual(findings, [
      {
        accountId,
        sentence:
          `Account ${accountId}: the balance is not the sum of the entries: ` +
          'expected 0.000005, found 0.000009.',
      },
    ])
    await db.query(
      `update ledger_accounts set balance_micro = 5, held_micro = 2, limits_micro = 3
       where account_id = $1`,
      [accountId],
    )
    const [held, limits] = (await auditLedger(db)).findings
    assert.match(held!.sentence, /sum of the open holds/)
    assert.match(limits!.sentence, /sum of the limits/)
    await db.query(
      `update ledger_accounts set held_micro = 0, limits_micro = 0, gift_micro = 1
       where account_id = $1`,
      [accountId],
    )
    const [gifts] = (await auditLedger(db)).findings
    assert.match(gifts!.sentence, /what is left of gifts.*expected 0, found 0.000001/)
    await db.query('update ledger_accounts set gift_micro = 0 where account_id = $1', [accountId])
  })

  async function grant(accountId: string, amountMicro: bigint): Promise<Outcome> {
    return (await apply([grantOf(accountId, amountMicro)]))[0]!
  }

  function grantOf(accountId: string, amountMicro: bigint): Command {
    const id = randomUUID()
    const entry = { id, type: 'topup', key: `topup:${id}`, description: 'Top-up' } as const
    return { kind: 'grant', accountId, amountMicro, entry }
  }

  async function hold(accountId: string, micro: bigint, holdId = randomUUID()): Promise<Outcome> {
    const owner = { process: randomUUID() }
    const sums = { estimateMicro: micro, minimumMicro: micro }
    return (await apply([{ kind: 'hold', accountId, holdId, ...sums, owner, about: {} }]))[0]!
  }
})
