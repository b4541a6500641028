import assert from 'node:assert/strict'
import type { CostBounds, Charge, Command, CommandOf, Entry, Outcome } from './commands.ts'
import { greater, lesser } from './money.ts'

/** Available is what is neither spent nor held: balance − held. */
export type LedgerAccount = {
  balanceMicro: bigint
  heldMicro: bigint
  /** What the open holds may come to cost together; no less than is held. */
  limitsMicro: bigint
  /** What of the balance nobody has bought. It is used first. */
  giftMicro: bigint
}

/** As it was read or written last. */
export type KnownAccount = LedgerAccount & {
  /** How many entries it has. */
  entries: bigint
  /** How often it was changed. */
  version: bigint
}

export type Hold = Pick<CommandOf<'hold'>, 'accountId' | 'holdId' | 'owner' | 'about'> & {
  amountMicro: bigint
  /** The most that the call may cost. */
  limitMicro: bigint
  /** The limit is by what such calls usually cost. */
  guessed?: true | undefined
}

/** What must be known of a hold to close it: what it is about is for whoever finds it orphaned. */
export type OpenHold = Omit<Hold, 'about'>

/** What the command must know beyond the account. */
export type Known = {
  hold: OpenHold | undefined
  hasKey(key: string): boolean
  /** For a hold with usual amounts. */
  guesses?: KnownGuesses | undefined
}

export type KnownGuesses = {
  /** The account has a guessed hold. */
  open: boolean
  /** The most that one call left uncollected in 30 days. */
  uncollectedMicro: bigint
}

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

export const EMPTY: LedgerAccount = {
  balanceMicro: 0n,
  heldMicro: 0n,
  limitsMicro: 0n,
  giftMicro: 0n,
}

/** Pure: an account and a command give a new account, its entries and an outcome. */
export function step(before: LedgerAccount, command: Command, known: Known): Step {
  const after = run(before, command, known)
  const { balanceMicro, heldMicro, limitsMicro, giftMicro } = after.account
  assert(0n <= heldMicro && heldMicro <= balanceMicro, 'held must stay within the balance')
  assert(heldMicro <= limitsMicro, 'a limit is no less than what is held')
  assert(0n <= giftMicro && giftMicro <= balanceMicro, 'gifts must stay within the balance')
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
    case 'extend':
      return extend(account, command, known)
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
  const giftMicro = giftAfter(account, balanceMicro, command)
  const next = { ...account, balanceMicro, giftMicro }
  return {
    ...unchanged(next, known, { kind: 'posted', balanceMicro, availableMicro: available(next) }),
    entries: [{ entry, amountMicro, balanceAfterMicro: balanceMicro }],
  }
}

/**
 * Credits that were given, not bought, earn nothing when they are used. What is taken away again was
 * bought, as long as there is any of that: the margin is rather shown too low than too high. The
 * database has the same rule, `gift_after`, and the audit compares them.
 */
function giftAfter(
  { giftMicro }: LedgerAccount,
  balanceMicro: bigint,
  { amountMicro, entry: { type } }: CommandOf<'grant' | 'adjust'>,
): bigint {
  const given = type === 'signup_bonus' || (type === 'adjustment' && amountMicro > 0n)
  return given ? giftMicro + amountMicro : lesser(giftMicro, balanceMicro)
}

function hold(account: LedgerAccount, command: CommandOf<'hold'>, known: Known): Step {
  const { accountId, holdId, owner, about, usual } = command
  const guessed = known.hold ? known.hold.guessed === true : isGuessed(account, command, known)
  const { estimateMicro, minimumMicro, bounds: given } = (guessed && usual) || command
  assert(estimateMicro >= 0n && minimumMicro >= 0n, 'a hold is not negative')
  const bounds = given ?? plainBounds(command)
  // The same command again, after an answer that was lost: the hold stays as it was made.
  if (known.hold) return unchanged(account, known, held(account, known.hold, bounds))
  if (guessed && known.guesses?.open) return unchanged(account, known, { kind: 'guess_open' })
  // Before it is refused too: whoever has too few credits is told how many are needed.
  if (needsExactBounds(account, bounds))
    return unchanged(account, known, { kind: 'needs_exact_bounds' })
  // An empty account gets nothing, however little is needed; one without a row is such an account.
  if (available(account) < minimumMicro || available(account) === 0n) {
    return refused(account, known, { guessed })
  }
  if (uncommitted(account) < bounds.minimumMicro) {
    return refused(account, known, { guessed, availableMicro: uncommitted(account) })
  }
  const limitMicro = limitFor(uncommitted(account), bounds)
  const amountMicro = lesser(lesser(estimateMicro, available(account)), limitMicro)
  const next = {
    ...account,
    heldMicro: account.heldMicro + amountMicro,
    limitsMicro: account.limitsMicro + limitMicro,
  }
  const made: Hold = {
    accountId,
    holdId,
    owner,
    about,
    amountMicro,
    limitMicro,
    guessed: guessed || undefined,
  }
  return { ...unchanged(next, known, held(next, made, bounds)), hold: made }
}

/** An account that can pay the worst case out of half of what is uncommitted needs no guess. */
function isGuessed(
  account: LedgerAccount,
  { usual, bounds }: CommandOf<'hold'>,
  { guesses }: Known,
): boolean {
  if (usual === undefined || bounds === undefined) return false
  if (guesses !== undefined && guesses.uncollectedMicro > usual.allowanceMicro) return false
  return bounds.minimumMicro > uncommitted(account) / 2n
}

function plainBounds({ estimateMicro, minimumMicro }: CommandOf<'hold'>): CostBounds {
  const worstCaseMicro = greater(estimateMicro, minimumMicro)
  const least = { minimumMicro, committedMicro: minimumMicro }
  return { ...least, initialLimitMicro: worstCaseMicro, worstCaseMicro, fixed: true, rough: false }
}

/** An account that can pay the worst case this many times over is not watched. */
export const EASY_PAYMENT_FACTOR = 16n

function needsExactBounds(account: LedgerAccount, { minimumMicro, rough }: CostBounds): boolean {
  return rough && minimumMicro > uncommitted(account) / EASY_PAYMENT_FACTOR
}

/**
 * Little of what is uncommitted, so that several calls may run at once. A call that cannot be given
 * more later may have half of it.
 */
function limitFor(uncommittedMicro: bigint, bounds: CostBounds): bigint {
  const { minimumMicro, initialLimitMicro, worstCaseMicro, fixed } = bounds
  if (worstCaseMicro <= uncommittedMicro / EASY_PAYMENT_FACTOR) return worstCaseMicro
  const share = greater(
    lesser(initialLimitMicro, uncommittedMicro),
    fixed ? uncommittedMicro / 2n : 0n,
  )
  return lesser(worstCaseMicro, greater(minimumMicro, share))
}

function extend(account: LedgerAccount, command: CommandOf<'extend'>, known: Known): Step {
  const { hold: open } = known
  if (!open) return unchanged(account, known, { kind: 'gone' })
  assert(command.byMicro >= 0n, 'a limit only grows')
  const byMicro = lesser(command.byMicro, uncommitted(account))
  const limitMicro = open.limitMicro + byMicro
  const next = { ...account, limitsMicro: account.limitsMicro + byMicro }
  return {
    ...unchanged(next, known, { kind: 'extended', limitMicro }),
    hold: { ...open, limitMicro },
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
  const paid = chargeAll(without(account, known.hold), command.charges, known)
  const uncollectedMicro = paid.uncollected.reduce((sum, one) => sum + one.amountMicro, 0n)
  const { balanceMicro } = paid.account
  const availableMicro = available(paid.account)
  const { chargedMicro, giftMicro } = paid
  return {
    ...paid,
    hold: undefined,
    outcome: {
      kind: 'settled',
      chargedMicro,
      giftMicro,
      uncollectedMicro,
      balanceMicro,
      availableMicro,
    },
  }
}

type Paid = Pick<Step, 'account' | 'entries' | 'uncollected'> & {
  chargedMicro: bigint[]
  giftMicro: bigint[]
}

function chargeAll(account: LedgerAccount, charges: Charge[], known: Known): Paid {
  assert(available(account) >= 0n, 'only what is there can be charged')
  const paid: Paid = { account, entries: [], uncollected: [], chargedMicro: [], giftMicro: [] }
  const seen = new Set<string>()
  for (const { costMicro, entry } of charges) {
    assert(costMicro >= 0n, 'a cost is not negative')
    // A key that is there already has been charged already.
    const dueMicro = known.hasKey(entry.key) || seen.has(entry.key) ? 0n : costMicro
    const amountMicro = lesser(dueMicro, available(paid.account))
    const giftMicro = lesser(amountMicro, paid.account.giftMicro)
    paid.chargedMicro.push(amountMicro)
    paid.giftMicro.push(giftMicro)
    if (amountMicro < dueMicro)
      paid.uncollected.push({ entry, amountMicro: dueMicro - amountMicro })
    if (amountMicro === 0n) continue
    seen.add(entry.key)
    const balanceMicro = paid.account.balanceMicro - amountMicro
    paid.account = {
      ...paid.account,
      balanceMicro,
      giftMicro: paid.account.giftMicro - giftMicro,
    }
    paid.entries.push({ entry, amountMicro: -amountMicro, balanceAfterMicro: balanceMicro })
  }
  return paid
}

function release(account: LedgerAccount, known: Known): Step {
  if (!known.hold) return unchanged(account, known, { kind: 'gone' })
  const next = without(account, known.hold)
  const outcome = { kind: 'released', availableMicro: available(next) } as const
  return { ...unchanged(next, known, outcome), hold: undefined }
}

function without(account: LedgerAccount, { amountMicro, limitMicro }: OpenHold): LedgerAccount {
  const { heldMicro, limitsMicro } = account
  return {
    ...account,
    heldMicro: heldMicro - amountMicro,
    limitsMicro: limitsMicro - limitMicro,
  }
}

function unchanged(account: LedgerAccount, { hold }: Known, outcome: Outcome): Step {
  return { account, hold, entries: [], uncollected: [], outcome }
}

function refused(
  account: LedgerAccount,
  known: Known,
  { availableMicro = available(account), guessed = false } = {},
): Step {
  const outcome = { kind: 'refused', availableMicro } as const
  return unchanged(account, known, guessed ? { ...outcome, guessed } : outcome)
}

function held(
  account: LedgerAccount,
  hold: OpenHold,
  { worstCaseMicro, fixed }: CostBounds,
): Outcome {
  const { amountMicro: heldMicro, limitMicro } = hold
  const reachable = fixed ? limitMicro : limitMicro + uncommitted(account)
  return {
    kind: 'held',
    heldMicro,
    availableMicro: available(account),
    limitMicro,
    ceilingMicro: greater(limitMicro, lesser(worstCaseMicro, reachable)),
    guessed: hold.guessed === true,
  }
}

function available({ balanceMicro, heldMicro }: LedgerAccount): bigint {
  return balanceMicro - heldMicro
}

/** What no open call may come to cost. An operator may have taken what calls were counting on. */
export function uncommitted({ balanceMicro, limitsMicro }: LedgerAccount): bigint {
  return greater(0n, balanceMicro - limitsMicro)
}
