import assert from 'node:assert/strict'
import type { Charge, Command, CommandOf, Entry, Outcome } from './commands.ts'
import { lesser } from './money.ts'

/** Available is what is neither spent nor held: balance − held. */
export type LedgerAccount = { balanceMicro: bigint; heldMicro: bigint }

export type Hold = Omit<CommandOf<'hold'>, 'kind' | 'wantMicro' | 'needMicro'> & {
  amountMicro: bigint
}

/** What must be known of a hold to close it: what it is about is for whoever finds it orphaned. */
export type OpenHold = Omit<Hold, 'about'>

/** What the command must know beyond the account. */
export type Known = { hold: OpenHold | undefined; hasKey(key: string): boolean }

/** An entry as it is written, with the balance it leaves. */
export type PostedEntry = { entry: Entry; amountMicro: bigint; balanceAfterMicro: bigint }
export type Uncollected = { entry: Entry; amountMicro: bigint }

export type Step = {
  account: LedgerAccount
  /** The hold after the command; undefined when there is none any more. */
  hold: Hold | OpenHold | undefined
  entries: PostedEntry[]
  uncollected: Uncollected[]
  outcome: Outcome
}

export const EMPTY: LedgerAccount = { balanceMicro: 0n, heldMicro: 0n }

/** Pure: an account and a command give a new account, its entries and an outcome. */
export function step(before: LedgerAccount, command: Command, known: Known): Step {
  const after = run(before, command, known)
  const { balanceMicro, heldMicro } = after.account
  assert(0n <= heldMicro && heldMicro <= balanceMicro, 'held must stay within the balance')
  const posted = after.entries.reduce((sum, entry) => sum + entry.amountMicro, 0n)
  assert(before.balanceMicro + posted === balanceMicro, 'the balance moves by its entries only')
  return after
}

function run(account: LedgerAccount, command: Command, known: Known): Step {
  switch (command.kind) {
    case 'grant':
      assert(command.amountMicro > 0n, 'a grant is more than zero')
      return post(account, command, known)
    case 'adjust':
      assert(command.amountMicro !== 0n, 'an adjustment is not zero')
      return post(account, command, known)
    case 'hold':
      return hold(account, command, known)
    case 'renew':
      return renew(account, command, known)
    case 'settle':
      return settle(account, command, known)
    default:
      command satisfies CommandOf<'release'>
      return release(account, known)
  }
}

function post(account: LedgerAccount, command: CommandOf<'grant' | 'adjust'>, known: Known): Step {
  const { amountMicro, entry } = command
  if (known.hasKey(entry.key)) return unchanged(account, known, { kind: 'duplicate' })
  if (available(account) + amountMicro < 0n) return refused(account, known)
  const balanceMicro = account.balanceMicro + amountMicro
  const next = { ...account, balanceMicro }
  return {
    ...unchanged(next, known, { kind: 'posted', balanceMicro, availableMicro: available(next) }),
    entries: [{ entry, amountMicro, balanceAfterMicro: balanceMicro }],
  }
}

function hold(account: LedgerAccount, command: CommandOf<'hold'>, known: Known): Step {
  const { kind: _kind, wantMicro, needMicro, ...rest } = command
  assert(wantMicro >= 0n && needMicro >= 0n, 'a hold is not negative')
  if (known.hold) {
    // The same command again, after an answer that was lost: the hold stays as it was made.
    const heldMicro = known.hold.amountMicro
    return unchanged(account, known, held(heldMicro, account))
  }
  // An empty account gets nothing, however little is needed; one without a row is such an account.
  if (available(account) < needMicro || available(account) === 0n) return refused(account, known)
  const amountMicro = lesser(wantMicro, available(account))
  const next = { ...account, heldMicro: account.heldMicro + amountMicro }
  return {
    ...unchanged(next, known, held(amountMicro, next)),
    hold: { ...rest, amountMicro },
  }
}

function renew(account: LedgerAccount, command: CommandOf<'renew'>, known: Known): Step {
  if (!known.hold) return unchanged(account, known, { kind: 'gone' })
  const { owner } = known.hold
  assert('job' in owner, 'only the hold of a job has a deadline')
  return {
    ...unchanged(account, known, { kind: 'renewed' }),
    hold: { ...known.hold, owner: { ...owner, deadline: command.deadline } },
  }
}

/** Charges in order, each up to what is left of this hold plus what is available. */
function settle(account: LedgerAccount, command: CommandOf<'settle'>, known: Known): Step {
  if (!known.hold) return unchanged(account, known, { kind: 'gone' })
  const free = { ...account, heldMicro: account.heldMicro - known.hold.amountMicro }
  const paid = chargeAll(free, command.charges, known)
  const uncollectedMicro = paid.uncollected.reduce((sum, one) => sum + one.amountMicro, 0n)
  const { balanceMicro } = paid.account
  const availableMicro = available(paid.account)
  const { chargedMicro } = paid
  return {
    ...paid,
    hold: undefined,
    outcome: { kind: 'settled', chargedMicro, uncollectedMicro, balanceMicro, availableMicro },
  }
}

type Paid = Pick<Step, 'account' | 'entries' | 'uncollected'> & { chargedMicro: bigint[] }

function chargeAll(account: LedgerAccount, charges: Charge[], known: Known): Paid {
  const paid: Paid = { account, entries: [], uncollected: [], chargedMicro: [] }
  const seen = new Set<string>()
  for (const { costMicro, entry } of charges) {
    assert(costMicro >= 0n, 'a cost is not negative')
    // A key that is there already has been charged already.
    const dueMicro = known.hasKey(entry.key) || seen.has(entry.key) ? 0n : costMicro
    const amountMicro = lesser(dueMicro, available(paid.account))
    paid.chargedMicro.push(amountMicro)
    if (amountMicro < dueMicro)
      paid.uncollected.push({ entry, amountMicro: dueMicro - amountMicro })
    if (amountMicro === 0n) continue
    seen.add(entry.key)
    const balanceMicro = paid.account.balanceMicro - amountMicro
    paid.account = { ...paid.account, balanceMicro }
    paid.entries.push({ entry, amountMicro: -amountMicro, balanceAfterMicro: balanceMicro })
  }
  return paid
}

function release(account: LedgerAccount, known: Known): Step {
  if (!known.hold) return unchanged(account, known, { kind: 'gone' })
  const next = { ...account, heldMicro: account.heldMicro - known.hold.amountMicro }
  const outcome = { kind: 'released', availableMicro: available(next) } as const
  return { ...unchanged(next, known, outcome), hold: undefined }
}

function unchanged(account: LedgerAccount, { hold }: Known, outcome: Outcome): Step {
  return { account, hold, entries: [], uncollected: [], outcome }
}

function refused(account: LedgerAccount, known: Known): Step {
  return unchanged(account, known, { kind: 'refused', availableMicro: available(account) })
}

function held(heldMicro: bigint, account: LedgerAccount): Outcome {
  return { kind: 'held', heldMicro, availableMicro: available(account) }
}

function available({ balanceMicro, heldMicro }: LedgerAccount): bigint {
  return balanceMicro - heldMicro
}
