import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import type { Command, Outcome } from '../../../src/billing/commands.ts'
import { applyCommands } from '../../../src/billing/ledger-store.ts'
import type { Db, Row } from '../../../src/db/db.ts'
import { Failure } from '../../../src/lib/failure.ts'
import type { FloatSettings } from '../../../src/gateway/bill/post.ts'
import { openPostingQueue, type PostingQueue } from '../../../src/gateway/bill/posting-queue.ts'
import { sample } from '../../activity/sample.ts'
import { freshWorld, inWorld, sketch } from '../../billing/commands.ts'
import { Model } from '../../billing/model.ts'
import { assertBooks } from '../../support/audit.ts'
import { withDatabase } from '../../support/databases.ts'

withDatabase('a queue of postings', (open) => {
  let db: Db
  /** Statements and transactions that were begun, as the queues asked for them. */
  let asked = { statements: 0, transactions: 0 }
  /** Of so many statements the answer is lost, after the server has done what they say. */
  let answersToLose = 0
  /** So many are not done at all. */
  let statementsToFail = 0
  before(async () => {
    db = await open()
  })
  after(() => assertBooks(db))

  async function faulty<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (statementsToFail > 0) {
      statementsToFail -= 1
      throw new Failure('unavailable', 'The server is away.')
    }
    const result = await ask()
    if (answersToLose === 0) return result
    answersToLose -= 1
    throw new Failure('unavailable', 'The answer was lost.')
  }

  function newQueue(floats?: FloatSettings): PostingQueue {
    const counting: Db = {
      ...db,
      query<R extends Row>(sql: string, params?: unknown[]) {
        asked.statements += 1
        return faulty(() => db.query<R>(sql, params))
      },
      begin(work, how) {
        asked.transactions += 1
        return faulty(() => db.begin(work, how))
      },
    }
    const quiet = { noteBalances: async () => {}, isNews: () => false }
    return openPostingQueue({ db: counting, timeZone: 'UTC', ...quiet, floats })
  }

  async function submit(queue: PostingQueue, command: Command): Promise<Outcome | undefined> {
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
    wantMicro: amountMicro,
    needMicro: amountMicro,
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
      queue.submit({ accountId: one.accountId, rows: () => ({ records: [one] }) })
    await record(known)
    await record(known)
    await Promise.all([record(known), record(other)])
    const rows = await db.query(
      `select (select count(*) from activity_records where id = any($1::uuid[])) as records,
        (select count(*) from activity_due where record_id = any($1::uuid[])) as due`,
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

  const balanceIn = async (accountId: string) => {
    const [row] = await db.query<{ balance_micro: bigint }>(
      'select balance_micro from ledger_accounts where account_id = $1',
      [accountId],
    )
    return row!.balance_micro
  }

  const LIVELY: FloatSettings = {
    mostMicro: 10n ** 6n,
    heartbeat: { steadySinceMs: () => 0, processes: () => 2 },
  }

  const heldIn = async (accountId: string) => {
    const rows = await db.query<{ held_micro: bigint; rows: bigint }>(
      `select held_micro, (select count(*) from holds where account_id = $1) as rows
       from ledger_accounts where account_id = $1`,
      [accountId],
    )
    return { heldMicro: rows[0]!.held_micro, rows: Number(rows[0]!.rows) }
  }

  /** Two calls by themselves, after which the account has a float. */
  async function withFloat(queue: PostingQueue, accountId: string, amountMicro: bigint) {
    for (let calls = 0; calls < 2; calls++) {
      const call = hold(accountId, amountMicro)
      await submit(queue, call)
      await submit(queue, settle(call, 1n))
    }
    assert.equal(queue.undrawnMicro(accountId), amountMicro, 'there is a float')
    asked = { statements: 0, transactions: 0 }
  }

  test('with a float a process does what the plain model does', async () => {
    let drawn = 0
    const property = fc.asyncProperty(
      fc.array(sketch, { minLength: 20, maxLength: 60 }),
      fc.bigInt({ min: 0n, max: 40_000n }),
      async (sketches, moreMicro) => {
        const queue = newQueue(LIVELY)
        const world = freshWorld()
        const model = new Model()
        const apply = async (command: Command) => {
          const { outcome, floatId } = await queue.submit({ accountId: command.accountId, command })
          if (floatId !== undefined) drawn += 1
          assert.deepEqual(outcome, model.apply(command))
        }
        for (const accountId of world.accounts) {
          const entry = {
            id: randomUUID(),
            type: 'topup',
            key: randomUUID(),
            description: '',
          } as const
          await apply({ kind: 'grant', accountId, amountMicro: 1n + moreMicro, entry })
          for (let calls = 0; calls < 2; calls++) {
            const call = hold(accountId, 200n)
            await apply(call)
            await apply(settle(call, 1n))
          }
        }
        // Every entry has a key of its own, as those of calls have.
        for (const one of sketches) await apply(inWorld({ ...world, keyPrefix: randomUUID() }, one))
        await queue.returnFloats(0)
        for (const accountId of world.accounts) {
          const { heldMicro } = await heldIn(accountId)
          assert.equal(heldMicro - queue.undrawnMicro(accountId), model.held(accountId))
        }
      },
    )
    await fc.assert(property, { numRuns: 40 })
    assert.ok(drawn > 20, `some were drawn: ${drawn}`)
  })

  test('a call that draws from a float begins without a statement, and ends with one', async () => {
    const accountId = randomUUID()
    await grant(accountId, 10_000n)
    const queue = newQueue(LIVELY)
    await withFloat(queue, accountId, 5n)
    const call = hold(accountId, 5n)
    assert.partialDeepStrictEqual(await submit(queue, call), { kind: 'held', heldMicro: 5n })
    assert.deepEqual(asked, { statements: 0, transactions: 0 })
    assert.equal(queue.undrawnMicro(accountId), 0n)
    assert.partialDeepStrictEqual(await submit(queue, settle(call, 3n)), { kind: 'settled' })
    assert.deepEqual(asked, { statements: 1, transactions: 0 })
    assert.deepEqual(await heldIn(accountId), { heldMicro: 5n, rows: 1 })
    await queue.returnFloats(0)
    assert.deepEqual(await heldIn(accountId), { heldMicro: 0n, rows: 0 })
  })

  test('what a float does not cover is held by itself', async () => {
    const accountId = randomUUID()
    await grant(accountId, 10_000n)
    const queue = newQueue(LIVELY)
    const upTo = (wantMicro: bigint, mostMicro: bigint) => {
      const least = { leastMicro: 1n, sureMicro: 1n, startMicro: 1n }
      const bounds = { ...least, mostMicro, fixed: false, rough: false }
      return { ...hold(accountId, wantMicro), needMicro: 1n, bounds } as Command & {
        holdId: string
      }
    }
    for (let calls = 0; calls < 2; calls++) {
      const call = upTo(5n, 20n)
      await submit(queue, call)
      await submit(queue, settle(call, 1n))
    }
    asked = { statements: 0, transactions: 0 }
    await submit(queue, upTo(4n, 10n))
    assert.deepEqual(asked, { statements: 0, transactions: 0 }, 'it is drawn')
    await submit(queue, upTo(2n, 2n))
    assert.deepEqual(asked, { statements: 1, transactions: 0 }, 'its amount')
    await submit(queue, upTo(1n, 11n))
    assert.deepEqual(asked, { statements: 2, transactions: 0 }, 'its limit')
    assert.deepEqual(await heldIn(accountId), { heldMicro: 5n + 2n + 1n, rows: 3 })
  })

  test('a float that is given back keeps what calls have drawn until they end', async () => {
    const accountId = randomUUID()
    await grant(accountId, 10_000n)
    const queue = newQueue(LIVELY)
    await withFloat(queue, accountId, 5n)
    const call = hold(accountId, 3n)
    await submit(queue, call)
    await queue.returnFloat(accountId)
    assert.deepEqual(await heldIn(accountId), { heldMicro: 3n, rows: 1 })
    await submit(queue, hold(accountId, 2n))
    assert.deepEqual(await heldIn(accountId), { heldMicro: 5n, rows: 2 }, 'it is closed')
    await submit(queue, { kind: 'release', accountId, holdId: call.holdId })
    assert.deepEqual(await heldIn(accountId), { heldMicro: 2n, rows: 1 })
  })

  test('an account with little has exact holds, and a float goes when little is left', async () => {
    const accountId = randomUUID()
    await grant(accountId, 150n)
    const queue = newQueue(LIVELY)
    for (let calls = 0; calls < 4; calls++) {
      const call = hold(accountId, 5n)
      await submit(queue, call)
      await submit(queue, settle(call, 1n))
    }
    assert.equal(queue.undrawnMicro(accountId), 0n)
    const rich = randomUUID()
    await grant(rich, 1_000n)
    await withFloat(queue, rich, 5n)
    const dear = hold(rich, 900n)
    assert.partialDeepStrictEqual(await submit(queue, dear), { kind: 'held', heldMicro: 900n })
    await submit(queue, settle(dear, 990n))
    assert.equal(queue.undrawnMicro(rich), 0n)
    assert.deepEqual(await heldIn(rich), { heldMicro: 0n, rows: 0 })
  })

  test('calls that ended in a commit whose answer was lost no longer count as drawn', async () => {
    const accountId = randomUUID()
    await grant(accountId, 1_000n)
    const queue = newQueue(LIVELY)
    await withFloat(queue, accountId, 10n)
    const ended = [hold(accountId, 3n), hold(accountId, 4n)]
    const other = hold(accountId, 2n)
    for (const call of [...ended, other]) await submit(queue, call)
    const dear = hold(accountId, 989n)
    await submit(queue, dear)
    await submit(queue, settle(dear, 989n))
    const ends = [settle(ended[0]!, 3n), settle(ended[1]!, 4n)]
    answersToLose = 1
    for (const { status } of await Promise.allSettled(ends.map((end) => submit(queue, end)))) {
      assert.equal(status, 'rejected')
    }
    assert.deepEqual(await heldIn(accountId), { heldMicro: 2n, rows: 1 }, 'it is done')
    assert.equal((await submit(queue, hold(accountId, 1n)))?.kind, 'refused')
    const settled = await submit(queue, settle(other, 2n))
    assert.partialDeepStrictEqual(settled, {
      kind: 'settled',
      chargedMicro: [2n],
      balanceMicro: 0n,
    })
    for (const end of ends) assert.deepEqual(await submit(queue, end), { kind: 'gone' })
    assert.deepEqual(await heldIn(accountId), { heldMicro: 0n, rows: 0 })
  })

  test('a commit that came to nothing is made again', async () => {
    const accountId = randomUUID()
    await grant(accountId, 1_000n)
    const queue = newQueue(LIVELY)
    await withFloat(queue, accountId, 5n)
    const call = hold(accountId, 5n)
    await submit(queue, call)
    const dear = hold(accountId, 990n)
    await submit(queue, dear)
    statementsToFail = 1
    await assert.rejects(submit(queue, settle(call, 1n)), { kind: 'unavailable' })
    assert.deepEqual(await heldIn(accountId), { heldMicro: 995n, rows: 2 })
    const settled = await submit(queue, settle(call, 1n))
    assert.partialDeepStrictEqual(settled, { kind: 'settled', chargedMicro: [1n] })
    await submit(queue, { kind: 'release', accountId, holdId: dear.holdId })
    await queue.returnFloats(0)
    assert.deepEqual(await heldIn(accountId), { heldMicro: 0n, rows: 0 })
  })

  test('with a float, and commands sent again for want of an answer, it is as in the plain model', async () => {
    let [lost, drawn] = [0, 0]
    const step = fc.record({ sketch, fate: fc.constantFrom('done', 'lost', 'failed') })
    const property = fc.asyncProperty(
      fc.array(sketch, { minLength: 20, maxLength: 40 }),
      fc.array(step, { minLength: 5, maxLength: 20 }),
      fc.bigInt({ min: 0n, max: 40_000n }),
      async (calm, rough, moreMicro) => {
        const queue = newQueue(LIVELY)
        const world = freshWorld()
        const model = new Model()
        const own = () => ({ ...world, keyPrefix: randomUUID() })
        for (const accountId of world.accounts) {
          await grant(accountId, 1n + moreMicro)
          const entry = { id: '', type: 'topup', key: accountId, description: '' } as const
          model.apply({ kind: 'grant', accountId, amountMicro: 1n + moreMicro, entry })
          for (let calls = 0; calls < 2; calls++) {
            const call = hold(accountId, 200n)
            for (const command of [call, settle(call, 1n)]) {
              await submit(queue, command)
              model.apply(command)
            }
          }
        }
        for (const one of calm) {
          const command = inWorld(own(), one)
          const { outcome, floatId } = await queue.submit({ accountId: command.accountId, command })
          if (floatId !== undefined) drawn += 1
          assert.deepEqual(outcome, model.apply(command))
        }
        for (const { sketch, fate } of rough) {
          const command = inWorld(own(), sketch)
          // An extension is not asked for again: whether there was one may not be known.
          answersToLose = Number(fate === 'lost' && command.kind !== 'extend')
          statementsToFail = Number(fate === 'failed')
          const first = await submit(queue, command).catch(() => undefined)
          answersToLose = statementsToFail = 0
          const expected = model.apply(command)
          if (first !== undefined) assert.deepEqual(first, expected)
          else if (fate === 'failed') assert.deepEqual(await submit(queue, command), expected)
          else {
            lost += 1
            await submit(queue, command)
          }
        }
        await queue.returnFloats(0)
        for (const accountId of world.accounts) {
          const { heldMicro } = await heldIn(accountId)
          assert.equal(heldMicro - queue.undrawnMicro(accountId), model.held(accountId))
          assert.equal(await balanceIn(accountId), model.total(accountId))
        }
      },
    )
    await fc.assert(property, { numRuns: 40 })
    assert.ok(lost > 20 && drawn > 5, `some were lost, some drawn: ${lost}, ${drawn}`)
  })

  test('a float that was opened by a commit whose answer was lost is given back too', async () => {
    const accountId = randomUUID()
    await grant(accountId, 1_000n)
    const queue = newQueue(LIVELY)
    const calls = [hold(accountId, 5n), hold(accountId, 5n)]
    await submit(queue, calls[0]!)
    await submit(queue, settle(calls[0]!, 1n))
    await submit(queue, calls[1]!)
    const end = settle(calls[1]!, 1n)
    answersToLose = 1
    await assert.rejects(submit(queue, end), { kind: 'unavailable' })
    assert.deepEqual(await heldIn(accountId), { heldMicro: 5n, rows: 1 }, 'it is open')
    assert.deepEqual(await submit(queue, end), { kind: 'gone' })
    const next = hold(accountId, 2n)
    await submit(queue, next)
    await submit(queue, settle(next, 1n))
    await queue.returnFloats(0)
    assert.deepEqual(await heldIn(accountId), { heldMicro: 0n, rows: 0 })
  })

  for (const end of ['settle', 'release'] as const) {
    test(`a call whose float was released elsewhere finds its hold gone: ${end}`, async () => {
      const accountId = randomUUID()
      await grant(accountId, 10_000n)
      const queue = newQueue(LIVELY)
      await withFloat(queue, accountId, 5n)
      const call = hold(accountId, 5n)
      const { floatId } = await queue.submit({ accountId, command: call })
      await direct({ kind: 'release', accountId, holdId: floatId! })
      // The account looks as it did before: only the hold is another one.
      await direct(hold(accountId, 5n))
      const { holdId } = call
      const command =
        end === 'settle' ? settle(call, 4n) : ({ kind: end, accountId, holdId } as const)
      assert.deepEqual(await submit(queue, command), { kind: 'gone' })
      assert.equal(queue.undrawnMicro(accountId), 0n)
    })
  }

  test('nothing is drawn while this process may be taken for dead, nor from what it had before', async () => {
    const accountId = randomUUID()
    await grant(accountId, 10_000n)
    let sinceMs = 0
    const queue = newQueue({
      ...LIVELY,
      heartbeat: { steadySinceMs: () => sinceMs, processes: () => 1 },
    })
    await withFloat(queue, accountId, 5n)
    sinceMs = Infinity
    assert.equal(
      (await queue.submit({ accountId, command: hold(accountId, 2n) })).floatId,
      undefined,
    )
    const other = randomUUID()
    await grant(other, 10_000n)
    sinceMs = 0
    await withFloat(queue, other, 5n)
    sinceMs = performance.now()
    assert.equal(
      (await queue.submit({ accountId: other, command: hold(other, 2n) })).floatId,
      undefined,
    )
  })

  test('two processes with floats and an operator neither lose nor invent money', async () => {
    const step = fc.record({ sketch, queue: fc.nat(1) })
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const queues = [newQueue(LIVELY), newQueue(LIVELY)]
      const world = freshWorld()
      let given = 0n
      for (const accountId of world.accounts) {
        await grant(accountId, 20_000n)
        given += 20_000n
      }
      await Promise.all(
        steps.map(async ({ sketch, queue }) => {
          const command = inWorld({ ...world, keyPrefix: randomUUID() }, sketch)
          const isCredit = command.kind === 'grant' || command.kind === 'adjust'
          const outcome = isCredit ? await direct(command) : await submit(queues[queue]!, command)
          if (isCredit && outcome?.kind === 'posted') given += command.amountMicro
          if (outcome?.kind === 'settled') for (const one of outcome.chargedMicro) given -= one
        }),
      )
      const [row] = await db.query<{ balance: bigint }>(
        'select sum(balance_micro)::int8 as balance from ledger_accounts where account_id = any($1)',
        [world.accounts],
      )
      assert.equal(row!.balance, given)
    })
    await fc.assert(property, { numRuns: 40 })
  })
})
