import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import { recordsBeside } from '../../src/activity/activity-store.ts'
import type { ActivityRecord } from '../../src/activity/record.ts'
import type { Db, Row } from '../../src/db/db.ts'
import type { Command, Outcome } from '../../src/ledger/commands.ts'
import type { Hold } from '../../src/ledger/ledger.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import { openPostingQueue } from '../../src/ledger/posting-queue.ts'
import { sweeper } from '../../src/ledger/sweeper.ts'
import { Failure } from '../../src/lib/failure.ts'
import { silentLog } from '../../src/lib/log.ts'
import { withDatabase } from '../support/databases.ts'
import { assertAudit } from '../support/money/audit.ts'
import { freshWorld, inWorld, sketch, type World } from './commands.ts'
import { Model } from './model.ts'

/**
 * What becomes of a commit: it is answered; it is done and the answer is lost; it is not done; or its
 * statement reaches the server when its sender has given up.
 */
const FATES = ['answered', 'answered', 'lost', 'failed', 'late'] as const
type Fate = (typeof FATES)[number]

type Step =
  | { kind: 'post'; sketch: Parameters<typeof inWorld>[1]; process: number; fate: Fate }
  | { kind: 'arrive' }
  | { kind: 'sweep'; stay: number[] }

/** Few credits: whatever else changes an account is news to the processes. */
const mostlyHolds = sketch.map((one) =>
  one.kind === 'grant' || one.kind === 'adjust'
    ? { ...one, kind: one.keys[1]! % 4 === 0 ? one.kind : ('hold' as const) }
    : one,
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('post' as const),
      sketch: mostlyHolds,
      process: fc.nat(1),
      fate: fc.constantFrom(...FATES),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('arrive' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('sweep' as const),
      stay: fc.uniqueArray(fc.nat(5)),
    }),
  },
)

withDatabase('commits without an answer', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })
  after(() => assertAudit(db))

  test('two processes, an operator and a sweeper do together what the plain model does', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 80, size: 'max' }),
      async (steps) => {
        const play = newPlay(db)
        await play.begin()
        for (const one of steps) await play.take(one)
        await play.end()
      },
    )
    await fc.assert(property, { numRuns: 40 })
  })
})

/** A world of few accounts, and the plain model of it. */
function newPlay(db: Db) {
  const world = freshWorld()
  const model = new Model()
  const late: { command: Command; arrive(): Promise<boolean> }[] = []
  const processes = [newProcess(db), newProcess(db)]

  async function post({ sketch, process, fate }: Extract<Step, { kind: 'post' }>): Promise<void> {
    const command = inWorld(world, sketch)
    if (command.kind === 'grant' || command.kind === 'adjust') {
      const [outcome] = await db.begin((tx) => applyCommands(tx, [command]))
      return assert.deepEqual(outcome, model.apply(command))
    }
    const { outcome, isDone, arrive } = await processes[process]!.submit(command, fate)
    if (arrive !== undefined) late.push({ command, arrive })
    const expected = isDone ? model.apply(command) : undefined
    if (outcome !== undefined) assert.deepEqual(outcome, expected)
  }

  async function arriveAll(): Promise<void> {
    for (const { command, arrive } of late.splice(0)) {
      if (await arrive()) model.apply(command)
    }
  }

  async function sweep(stay: Set<string>): Promise<void> {
    for (const { holdId, accountId, owner } of await sweptIn(db, world, stay)) {
      assert.ok(!stay.has(holdId), 'a hold that somebody answers for stays')
      const outcome = model.apply({ kind: 'release', accountId, holdId })
      assert.equal(outcome.kind, 'released', JSON.stringify(owner))
    }
    const left = world.holds.slice(0, 3).filter((id) => model.holds.has(id) && !stay.has(id))
    assert.deepEqual(left, [], 'holds that their process does not know')
  }

  return {
    async begin() {
      for (const accountId of world.accounts) {
        const entry = {
          id: randomUUID(),
          key: randomUUID(),
          type: 'topup',
          description: '',
        } as const
        const command = { kind: 'grant', accountId, amountMicro: 400n, entry } as const
        await db.begin((tx) => applyCommands(tx, [command]))
        model.apply(command)
      }
    },
    async take(one: Step) {
      if (one.kind === 'post') await post(one)
      else if (one.kind === 'arrive') await arriveAll()
      else await sweep(new Set(one.stay.map((i) => world.holds[i]!)))
    },
    async end() {
      await arriveAll()
      for (const accountId of world.accounts) {
        const [row] = await db.query(
          `select balance_micro, held_micro, limits_micro, gift_micro from ledger_accounts
           where account_id = $1`,
          [accountId],
        )
        if (row === undefined) continue
        assert.deepEqual(row, {
          balance_micro: model.total(accountId),
          held_micro: model.held(accountId),
          limits_micro: model.limits(accountId),
          gift_micro: model.gift(accountId),
        })
      }
    },
  }
}

type Submitted = {
  /** Undefined when its answer was lost. */
  outcome: Outcome | undefined
  isDone: boolean
  /** Its statement is still on its way: says whether it did anything when it arrived. */
  arrive: (() => Promise<boolean>) | undefined
}

/** A process with its queue and its memory, whose commits have a fate. */
function newProcess(db: Db) {
  let fate: Fate = 'answered'
  let isDone = false
  let arrive: Submitted['arrive']

  async function meet<Result>(
    commit: () => Promise<Result>,
    didIt: (result: Result) => boolean,
    canBeLate: boolean,
  ): Promise<Result> {
    if (fate === 'late' && canBeLate) {
      arrive = () => commit().then(didIt, () => false)
    }
    if (fate === 'late' || fate === 'failed') throw away()
    const result = await commit()
    isDone = didIt(result)
    if (fate === 'lost') throw away()
    return result
  }

  const queue = openPostingQueue<ActivityRecord>({
    db: {
      ...db,
      query: <R extends Row>(sql: string, params?: unknown[]) =>
        meet(
          () => db.query<R>(sql, params),
          (rows) => rows.length > 0,
          true,
        ),
      begin: (work, how) =>
        meet(
          () => db.begin(work, how),
          () => true,
          false,
        ),
    },
    rowsBeside: recordsBeside('UTC'),
    unconfirmedCapMicro: 0n,
    noteBalances: async () => {},
    isNews: () => false,
  })

  return {
    async submit(command: Command, its: Fate): Promise<Submitted> {
      fate = its
      isDone = false
      arrive = undefined
      const { accountId } = command
      const posted = await queue.submit({ accountId, command }).catch(assertAway)
      return { outcome: posted?.outcome, isDone, arrive }
    },
  }
}

function away(): Failure {
  return new Failure('unavailable', 'The server is away.')
}

function assertAway(error: unknown): undefined {
  assert.ok(error instanceof Failure && error.kind === 'unavailable', String(error))
}

/** What a sweeper released of this world, while somebody answers for the holds that `stay`. */
async function sweptIn(db: Db, world: World, stay: Set<string>): Promise<Hold[]> {
  const released: Hold[] = []
  const job = sweeper({
    db,
    log: silentLog,
    onReleased: async (_tx, holds) => void released.push(...holds),
    claimed: async () => stay,
    own: { processId: world.process, openHolds: stay },
    forgottenAfterMs: 0,
  })
  await job.run(new AbortController().signal)
  return released.filter(({ accountId }) => world.accounts.includes(accountId))
}
