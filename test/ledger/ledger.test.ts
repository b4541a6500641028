import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Command, Entry } from '../../src/ledger/commands.ts'
import {
  EMPTY,
  step,
  type LedgerAccount,
  type Hold,
  type OpenHold,
} from '../../src/ledger/ledger.ts'
import { freshWorld, inWorld, sketch } from './commands.ts'
import { Model } from './model.ts'

test('any sequence of commands does what the plain model does', () => {
  const property = fc.property(fc.array(sketch, { maxLength: 200 }), (sketches) => {
    const world = freshWorld()
    const model = new Model()
    const accounts = new Map<string, LedgerAccount>()
    const holds = new Map<string, OpenHold>()
    const keys = new Set<string>()
    for (const command of sketches.map((one) => inWorld(world, one))) {
      const { accountId } = command
      const found = 'holdId' in command ? holds.get(command.holdId) : undefined
      const hold = found?.accountId === accountId ? found : undefined
      const account = accounts.get(accountId) ?? EMPTY
      const guessing = [...holds.values()].filter((one) => one.accountId === accountId)
      const guesses = {
        open: guessing.some(({ guessed }) => guessed === true),
        uncollectedMicro: 0n,
      }
      const result = step(account, command, { hold, hasKey: (key) => keys.has(key), guesses })
      assert.deepEqual(result.outcome, model.apply(command))
      accounts.set(accountId, result.account)
      if (result.hold) holds.set(result.hold.holdId, result.hold)
      else if (hold) holds.delete(hold.holdId)
      for (const { entry } of result.entries) keys.add(entry.key)
      assert.equal(result.account.balanceMicro, model.total(accountId))
      assert.equal(result.account.heldMicro, model.held(accountId))
      assert.equal(result.account.limitsMicro, model.limits(accountId))
      assert.equal(result.account.giftMicro, model.gift(accountId))
    }
    assert.deepEqual(keys, new Set(model.booked.keys()))
  })
  fc.assert(property, { numRuns: 300 })
})

test('it never changes what it is given', () => {
  const account = Object.freeze({
    balanceMicro: 100n,
    heldMicro: 40n,
    limitsMicro: 50n,
    giftMicro: 60n,
  })
  const hold: Hold = Object.freeze({
    holdId: 'h',
    accountId: 'a',
    amountMicro: 40n,
    limitMicro: 50n,
    owner: Object.freeze({ job: 'j', deadline: new Date(0) }),
    about: {},
  })
  const known = { hold, hasKey: () => false }
  const ids = { accountId: 'a', holdId: 'h' }
  const entry = { id: 'e', type: 'usage', key: 'k', description: '' } as const
  const charges = [{ costMicro: 70n, entry }]
  assert.equal(step(account, { kind: 'settle', ...ids, charges }, known).account.balanceMicro, 30n)
  assert.equal(step(account, { kind: 'release', ...ids }, known).account.heldMicro, 0n)
  const renewed = step(account, { kind: 'renew', ...ids, deadline: new Date(9) }, known).hold
  const extended = step(account, { kind: 'extend', ...ids, byMicro: 9n }, known)
  assert.deepEqual([extended.hold?.limitMicro, extended.account.limitsMicro], [59n, 59n])
  assert.deepEqual(renewed?.owner, { job: 'j', deadline: new Date(9) })
})

test('an account that is already wrong is not carried on', () => {
  const wrong = { balanceMicro: 10n, heldMicro: 11n, limitsMicro: 11n, giftMicro: 0n }
  const command = { kind: 'release', accountId: 'a', holdId: 'h' } as const
  const known = { hold: undefined, hasKey: () => false }
  assert.throws(() => step(wrong, command, known), /within the balance/)
  const loose = { balanceMicro: 10n, heldMicro: 5n, limitsMicro: 4n, giftMicro: 0n }
  assert.throws(() => step(loose, command, known), /no less than what is held/)
  const given = { balanceMicro: 10n, heldMicro: 0n, limitsMicro: 0n, giftMicro: 11n }
  assert.throws(() => step(given, command, known), /gifts must stay within the balance/)
})

test('only the hold of a job can be renewed', () => {
  const amounts = { amountMicro: 0n, limitMicro: 0n }
  const hold = { holdId: 'h', accountId: 'a', ...amounts, owner: { process: 'p' }, about: {} }
  const command = { kind: 'renew', accountId: 'a', holdId: 'h', deadline: new Date() } as const
  assert.throws(() => step(EMPTY, command, { hold, hasKey: () => false }), /only the hold of a job/)
})

/** Commands of one account, one after the other: how much of each charge was paid with gifts. */
function giftsUsed(moves: [Entry['type'], bigint][]): bigint[] {
  let account = EMPTY
  return moves.flatMap(([type, amountMicro], i) => {
    const entry: Entry = { id: `e${i}`, type, key: `k${i}`, description: '' }
    const command: Command =
      type === 'usage'
        ? {
            kind: 'settle',
            accountId: 'a',
            holdId: 'h',
            charges: [{ costMicro: -amountMicro, entry }],
          }
        : { kind: 'adjust', accountId: 'a', amountMicro, entry }
    const owner = { process: 'p' }
    const hold = { holdId: 'h', accountId: 'a', amountMicro: 0n, limitMicro: 0n, owner, about: {} }
    const done = step(account, command, { hold, hasKey: () => false })
    account = done.account
    return done.outcome.kind === 'settled' ? done.outcome.giftMicro : []
  })
}

test('gifts are used first, and what is taken away was bought', () => {
  const used = giftsUsed([
    ['signup_bonus', 100n],
    ['topup', 1_000n],
    ['usage', -60n],
    ['adjustment', 20n],
    ['usage', -70n],
    ['usage', -10n],
  ])
  assert.deepEqual(used, [60n, 60n, 0n])
  // A payment that was taken back leaves the bonus.
  const reversed: [Entry['type'], bigint][] = [
    ['signup_bonus', 100n],
    ['topup', 1_000n],
    ['adjustment', -1_000n],
  ]
  assert.deepEqual(giftsUsed([...reversed, ['usage', -100n]]), [100n])
  // More than was bought is taken from the bonus as well.
  const more: [Entry['type'], bigint][] = [...reversed, ['adjustment', -40n], ['topup', 50n]]
  assert.deepEqual(giftsUsed([...more, ['usage', -100n]]), [60n])
  // What is given back of a charge counts as bought: the refund is taken from what was earned.
  const refunded: [Entry['type'], bigint][] = [
    ['topup', 50n],
    ['usage', -50n],
    ['refund', 50n],
  ]
  assert.deepEqual(giftsUsed([...refunded, ['usage', -50n]]), [0n, 0n])
})
