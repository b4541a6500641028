import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import type { Command, Outcome } from '../../src/ledger/commands.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import type { Db, Row } from '../../src/db/db.ts'
import { recordsBeside } from '../../src/activity/activity-store.ts'
import type { ActivityRecord } from '../../src/activity/record.ts'
import { openPostingQueue, type PostingQueue } from '../../src/ledger/posting-queue.ts'
import { sample } from '../activity/sample.ts'
import { freshWorld, inWorld, sketch } from './commands.ts'
import { Model } from './model.ts'
import { assertAudit } from '../support/money/audit.ts'
import { withDatabase } from '../support/databases.ts'

type Queue = PostingQueue<ActivityRecord>

withDatabase('a queue of postings', (open) => {
  let db: Db
  /** Statements and transactions that were begun, as the queues asked for them. */
  let asked = { statements: 0, transactions: 0 }
  before(async () => {
    db = await open()
  })
  after(() => assertAudit(db))

  function newQueue(): Queue {
    const counting: Db = {
      ...db,
      query<R extends Row>(sql: string, params?: unknown[]) {
        asked.statements += 1
        return db.query<R>(sql, params)
      },
      begin(work, how) {
        asked.transactions += 1
        return db.begin(work, how)
      },
    }
    const quiet = { noteBalances: async () => {}, isNews: () => false }
    return openPostingQueue<ActivityRecord>({
      db: counting,
      rowsBeside: recordsBeside('UTC'),
      unconfirmedCapMicro: 0n,
      ...quiet,
    })
  }

  async function submit(queue: Queue, command: Command): Promise<Outcome | undefined> {
    const { outcome } = await queue.submit({ accountId: command.accountId, command })
    return outcome
  }

  const direct = async (command: Command) =>
    (await db.begin((tx) => applyCommands(tx, [command])))[0]

  const grant = (accountId: string, amountMicro: bigint) => {
    const entry = { id: randomUUID(), type: 'topup', key: randomUUID(), description: '' } as const
    return direct({ kind: 'grant', accountId, amountMicro, entry })
  }

  const hold = (accountId: string, amountMicro: bigint): Command & { holdId: string } => ({
    kind: 'hold',
    accountId,
    holdId: randomUUID(),
    estimateMicro: amountMicro,
    minimumMicro: amountMicro,
    owner: { process: randomUUID() },
    about: {},
  })

  function settle(open: { accountId: string; holdId: string }, costMicro: bigint): Command {
    const id = randomUUID()
    const entry = { id, type: 'usage', key: `usage:${id}`, description: '' } as const
    const { accountId, holdId } = open
    return { kind: 'settle', accountId, holdId, charges: [{ costMicro, entry }] }
  }

  test('two processes and the operator do together what the plain model does', async () => {
    const step = fc.record({ sketch, queue: fc.nat(1) })
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const queues = [newQueue(), newQueue()]
      const world = freshWorld()
      const model = new Model()
      for (const { sketch, queue } of steps) {
        const command = inWorld(world, sketch)
        const isCredit = command.kind === 'grant' || command.kind === 'adjust'
        const outcome = isCredit ? await direct(command) : await submit(queues[queue]!, command)
        assert.deepEqual(outcome, model.apply(command))
      }
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test('an account that nobody else touches needs one statement for each commit', async () => {
    const accountId = randomUUID()
    await grant(accountId, 100n)
    const queue = newQueue()
    // The first one reads the account.
    const first = hold(accountId, 1n)
    await submit(queue, first)
    asked = { statements: 0, transactions: 0 }
    const second = hold(accountId, 10n)
    await submit(queue, second)
    await submit(queue, settle(second, 4n))
    await submit(queue, settle(first, 1n))
    assert.deepEqual(asked, { statements: 3, transactions: 0 })
  })

  test('what another process has changed is found out, and read anew', async () => {
    const accountId = randomUUID()
    await grant(accountId, 100n)
    const [one, other] = [newQueue(), newQueue()]
    const first = hold(accountId, 60n)
    await submit(one, first)
    // The other spends what the first believes to be available.
    const second = hold(accountId, 40n)
    await submit(other, second)
    assert.equal((await submit(one, hold(accountId, 1n)))?.kind, 'refused')
    await submit(other, settle(second, 40n))
    const settled = await submit(one, settle(first, 60n))
    assert.partialDeepStrictEqual(settled, { kind: 'settled', balanceMicro: 0n })
  })

  test('among several accounts, what another process has changed of one is found out', async () => {
    const [changed, same] = [randomUUID(), randomUUID()]
    for (const accountId of [changed, same]) await grant(accountId, 100n)
    const [one, other] = [newQueue(), newQueue()]
    const together = (...commands: Command[]) =>
      Promise.all(commands.map((command) => submit(one, command)))
    await together(hold(changed, 60n), hold(same, 60n))
    await submit(other, hold(changed, 40n))
    const outcomes = await together(hold(changed, 1n), hold(same, 1n))
    assert.deepEqual(
      outcomes.map((outcome) => outcome?.kind),
      ['refused', 'held'],
    )
    assert.equal((await submit(one, hold(same, 39n)))?.kind, 'held')
    assert.equal((await submit(one, hold(same, 1n)))?.kind, 'refused')
  })

  test('a record that an earlier try has written is written once, beside new ones too', async () => {
    const queue = newQueue()
    const [known, other] = [sample({ costMicro: 0n }), sample({ costMicro: 0n })]
    const record = (one: typeof known) =>
      queue.submit({ accountId: one.accountId, writes: () => [{ row: one }] })
    await record(known)
    await record(known)
    await Promise.all([record(known), record(other)])
    const rows = await db.query(
      `select (select count(*) from activity_records where id = any($1::uuid[])) as records,
        (select count(*) from pending_rollups where record_id = any($1::uuid[])) as due`,
      [[known.id, other.id]],
    )
    assert.deepEqual(rows, [{ records: 2n, due: 2n }])
  })

  test('nobody is refused by what was true before a top-up', async () => {
    const accountId = randomUUID()
    await grant(accountId, 10n)
    const queue = newQueue()
    await submit(queue, hold(accountId, 10n))
    assert.equal((await submit(queue, hold(accountId, 5n)))?.kind, 'refused')
    await grant(accountId, 5n)
    assert.equal((await submit(queue, hold(accountId, 5n)))?.kind, 'held')
  })

  for (const end of ['settle', 'release', 'extend'] as const) {
    test(`a hold that was released elsewhere is gone: ${end}`, async () => {
      const accountId = randomUUID()
      await grant(accountId, 100n)
      const queue = newQueue()
      const mine = hold(accountId, 10n)
      await submit(queue, mine)
      const { holdId } = mine
      await direct({ kind: 'release', accountId, holdId })
      // The account looks as it did before: only the hold is another one.
      await direct(hold(accountId, 10n))
      const commands: Record<typeof end, Command> = {
        settle: settle(mine, 4n),
        release: { kind: 'release', accountId, holdId },
        extend: { kind: 'extend', accountId, holdId, byMicro: 1n },
      }
      assert.deepEqual(await submit(queue, commands[end]), { kind: 'gone' })
    })
  }

  test('many calls of one account at two processes pay exactly', async () => {
    const accountId = randomUUID()
    await grant(accountId, 1_000n)
    const queues = [newQueue(), newQueue()]
    await Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        const queue = queues[i % 2]!
        const mine = hold(accountId, 3n)
        assert.equal((await submit(queue, mine))?.kind, 'held')
        assert.equal((await submit(queue, settle(mine, 2n)))?.kind, 'settled')
      }),
    )
    const [row] = await db.query(
      'select balance_micro, held_micro from ledger_accounts where account_id = $1',
      [accountId],
    )
    assert.deepEqual(row, { balance_micro: 760n, held_micro: 0n })
  })
})
