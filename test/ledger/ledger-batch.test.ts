import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Charge, Command } from '../../src/ledger/commands.ts'
import {
  forgetAccounts,
  judgeAll,
  judgeFromMemory,
  openLedgerMemory,
  openUnconfirmed,
  rememberChanges,
  type Before,
  type LedgerChanges,
} from '../../src/ledger/ledger-batch.ts'
import {
  EMPTY,
  type KnownAccount,
  type LedgerAccount,
  type OpenHold,
} from '../../src/ledger/ledger.ts'
import { freshWorld, inWorld, sketch } from './commands.ts'

const ACCOUNT: KnownAccount = {
  balanceMicro: 100n,
  heldMicro: 0n,
  limitsMicro: 0n,
  giftMicro: 10n,
  entries: 1n,
  version: 1n,
}
const OWNER = { process: 'p' }
const hold = (holdId: string, micro: bigint): Command => ({
  kind: 'hold',
  accountId: 'a',
  holdId,
  estimateMicro: micro,
  minimumMicro: micro,
  owner: OWNER,
  about: {},
})
const release = (holdId: string): Command => ({ kind: 'release', accountId: 'a', holdId })
const entry = { id: 'e', type: 'topup', key: 'k', description: '' } as const

/** A memory of one account with one hold, `h`. */
function memoryOfOne() {
  const memory = openLedgerMemory()
  rememberChanges(memory, judgeAll(startOf(['a']), [hold('h', 30n)]).changes)
  return memory
}

const CASES: [what: string, command: Command, outcome: string | undefined][] = [
  ['a hold of what is there', hold('new', 70n), 'held'],
  ['a release of a hold that is known', release('h'), 'released'],
  ['a hold that would be refused', hold('new', 71n), undefined],
  ['a hold that is there already', hold('h', 30n), undefined],
  ['a release of a hold that is not known', release('other'), undefined],
  ['an account that is not known', { ...hold('new', 1n), accountId: 'b' }, undefined],
  ['a grant', { kind: 'grant', accountId: 'a', amountMicro: 1n, entry }, undefined],
]
for (const [what, command, outcome] of CASES) {
  test(`from memory: ${what}: ${outcome ?? 'is looked up'}`, () => {
    assert.equal(judgeFromMemory(memoryOfOne(), [command])?.outcomes[0]?.kind, outcome)
  })
}

test('one command that must be looked up takes its batch with it', () => {
  assert.equal(judgeFromMemory(memoryOfOne(), [hold('new', 1n), release('other')]), undefined)
})

test('nothing is remembered of what was judged and not committed', () => {
  const memory = memoryOfOne()
  judgeFromMemory(memory, [hold('new', 70n)])
  assert.equal(judgeFromMemory(memory, [hold('next', 70n)])?.outcomes[0]?.kind, 'held')
})

test('an account that was forgotten is looked up', () => {
  const memory = memoryOfOne()
  forgetAccounts(memory, [release('h')])
  assert.equal(judgeFromMemory(memory, [hold('new', 1n)]), undefined)
})

const commands = fc.array(sketch, { maxLength: 30, size: 'max' })

test('a batch gives what the same commands give one by one', () => {
  const property = fc.property(commands, fc.array(fc.integer({ min: 1, max: 5 })), (all, cuts) => {
    const world = freshWorld()
    const given = all.map((one) => inWorld(world, one))
    const start = startOf(world.accounts)
    const alone = given.map((command) => [command])
    const one = play(start, alone)
    assert.deepEqual(play(start, pieces(given, cuts)), one)
    assert.deepEqual(play(start, [given]), one)
  })
  fc.assert(property, { numRuns: 200 })
})

test('a process that remembers all it has committed judges as one that reads', () => {
  const property = fc.property(commands, (all) => {
    const world = freshWorld()
    const memory = openLedgerMemory()
    let before = startOf(world.accounts)
    for (const [accountId, account] of before.accounts) memory.accounts.set(accountId, account)
    for (const command of all.map((one) => inWorld(world, one))) {
      const read = judgeAll(before, [command])
      const remembered = judgeFromMemory(memory, [command])
      // A key that was used before is found by the index of the table, when it is written.
      const isNew = command.kind !== 'settle' || !command.charges.some(isIn(before.keys))
      if (remembered !== undefined && isNew) assert.deepEqual(remembered, read)
      before = afterwards(before, read.changes)
      rememberChanges(memory, read.changes)
    }
  })
  fc.assert(property, { numRuns: 200 })
})

const isIn =
  (keys: ReadonlySet<string>) =>
  ({ entry }: Charge): boolean =>
    keys.has(entry.key)

function startOf(accountIds: string[]): Before {
  const accounts = new Map(accountIds.map((id) => [id, ACCOUNT]))
  return { accounts, holds: new Map(), keys: new Set(), guesses: guessesOf(accountIds, []) }
}

/** The outcomes of batches one after the other, and what they leave. */
function play(start: Before, batches: Command[][]) {
  let before = start
  const outcomes = batches.flatMap((batch) => {
    const judged = judgeAll(before, batch)
    before = afterwards(before, judged.changes)
    return judged.outcomes
  })
  return { outcomes, accounts: plain(before.accounts), holds: before.holds, keys: before.keys }
}

/** `version` counts batches, and is left out. */
function plain(accounts: Before['accounts']) {
  return [...accounts].map(([id, { version: _version, ...rest }]) => ({ id, ...rest }))
}

function pieces(commands: Command[], cuts: number[]): Command[][] {
  const found: Command[][] = []
  for (let at = 0; at < commands.length;) {
    const size = cuts[found.length] ?? 2
    found.push(commands.slice(at, at + size))
    at += size
  }
  return found
}

function guessesOf(accountIds: string[], holds: OpenHold[]): Before['guesses'] {
  const guessing = holds.filter(({ guessed }) => guessed).map(({ accountId }) => accountId)
  return new Map(
    accountIds.map((id) => [id, { open: guessing.includes(id), uncollectedMicro: 0n }]),
  )
}

/** As the database has it once the changes are written. */
function afterwards({ accounts, holds, keys }: Before, changes: LedgerChanges): Before {
  const next = new Map(accounts)
  for (const { accountId, after } of changes.accounts) next.set(accountId, after)
  const open = new Map<string, OpenHold>(holds)
  for (const { holdId } of changes.closed) open.delete(holdId)
  for (const { holdId, accountId, amountMicro, limitMicro, guessed, owner } of [
    ...changes.opened,
    ...changes.rewritten,
  ])
    open.set(holdId, { holdId, accountId, amountMicro, limitMicro, guessed, owner })
  return {
    accounts: next,
    holds: new Map([...open].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    keys: new Set([...keys, ...changes.entries.map(({ entry: { key } }) => key)].sort()),
    guesses: guessesOf([...accounts.keys()], [...open.values()]),
  }
}

const CAP = 100n
const DAY_MS = 24 * 3_600_000
const AS_EXPECTED = { asExpected: true }
const LESS = { asExpected: false }

/** Of a process that knows one account. */
function opened(account: Partial<LedgerAccount> | undefined) {
  const time = { ms: 0 }
  const known = () => account && { ...EMPTY, ...account }
  return { time, unconfirmed: openUnconfirmed({ capMicro: CAP, known, nowMs: () => time.ms }) }
}

const RICH = { balanceMicro: 1_000_000n }
const UNCONFIRMED: [
  why: string,
  account: Partial<LedgerAccount> | undefined,
  may: boolean,
  micro: bigint,
][] = [
  ['an account that is not known', undefined, false, 1n],
  ['an account that pays sixteen times as much', { balanceMicro: 160n }, true, 10n],
  ['an account that pays a little less than that', { balanceMicro: 159n }, false, 10n],
  ['what open holds may cost is not there', { balanceMicro: 160n, limitsMicro: 1n }, false, 10n],
  ['what they hold is not subtracted twice', { balanceMicro: 160n, heldMicro: 9n }, true, 10n],
  ['an account that an operator took from', { balanceMicro: 5n, limitsMicro: 9n }, false, 1n],
  ['a call at the cap', RICH, true, CAP],
  ['a call above the cap', RICH, false, CAP + 1n],
]
for (const [why, account, may, micro] of UNCONFIRMED) {
  test(`whether the upstream is asked at once: ${why}`, () => {
    assert.equal(opened(account).unconfirmed.enter('a', micro) !== undefined, may)
  })
}

test('calls of one account are counted together, those of others are not', () => {
  const { unconfirmed } = opened(RICH)
  const first = unconfirmed.enter('a', 60n)!
  assert.equal(unconfirmed.enter('a', 41n), undefined)
  assert.ok(unconfirmed.enter('b', 100n))
  first(AS_EXPECTED)
  assert.ok(unconfirmed.enter('a', 41n))
})

test('an account that had less than expected waits for its holds for a day', () => {
  const { unconfirmed, time } = opened(RICH)
  unconfirmed.enter('a', 1n)!(LESS)
  assert.equal(unconfirmed.enter('a', 1n), undefined)
  assert.ok(unconfirmed.enter('b', 1n))
  time.ms = DAY_MS - 1
  assert.equal(unconfirmed.enter('a', 1n), undefined)
  time.ms = DAY_MS
  assert.ok(unconfirmed.enter('a', 1n))
})

test('whatever comes and goes, what is counted is within the cap, and nothing stays counted', () => {
  const act = fc.record({ micro: fc.bigInt({ min: 1n, max: 60n }), leaves: fc.nat(3) })
  const property = fc.property(
    fc.bigInt({ min: 0n, max: 3_000n }),
    fc.array(act, { maxLength: 60 }),
    (balanceMicro, acts) => {
      const { unconfirmed } = opened({ balanceMicro })
      const inside: { micro: bigint; leave: (outcome: { asExpected: boolean }) => void }[] = []
      for (const { micro, leaves } of acts) {
        const before = inside.reduce((sum, one) => sum + one.micro, micro)
        const leave = unconfirmed.enter('a', micro)
        assert.equal(leave !== undefined, before <= CAP && before * 16n <= balanceMicro)
        if (leave !== undefined) inside.push({ micro, leave })
        for (const one of inside.splice(0, leaves)) one.leave(AS_EXPECTED)
      }
      for (const one of inside) one.leave(AS_EXPECTED)
      const most = balanceMicro / 16n < CAP ? balanceMicro / 16n : CAP
      assert.ok(most === 0n || unconfirmed.enter('a', most))
    },
  )
  fc.assert(property, { numRuns: 300 })
})
