import type { CostBounds, Command, Outcome } from '../../src/ledger/commands.ts'

type ModelHold = { account: string; amount: bigint; limit: bigint; guessed: boolean }

/** The ledger once more, as plainly as possible: numbers of a whole world, one rule per line. */
export class Model {
  balance = new Map<string, bigint>()
  holds = new Map<string, ModelHold>()
  booked = new Map<string, bigint>()
  gifts = new Map<string, bigint>()
  lost = 0n

  total(account: string): bigint {
    return this.balance.get(account) ?? 0n
  }

  gift(account: string): bigint {
    return this.gifts.get(account) ?? 0n
  }

  held(account: string): bigint {
    const own = [...this.holds.values()].filter((hold) => hold.account === account)
    return own.reduce((sum, hold) => sum + hold.amount, 0n)
  }

  limits(account: string): bigint {
    const own = [...this.holds.values()].filter((hold) => hold.account === account)
    return own.reduce((sum, hold) => sum + hold.limit, 0n)
  }

  uncommitted(account: string): bigint {
    const left = this.total(account) - this.limits(account)
    return left < 0n ? 0n : left
  }

  free(account: string): bigint {
    return this.total(account) - this.held(account)
  }

  apply(command: Command): Outcome {
    const { accountId } = command
    if (command.kind === 'grant' || command.kind === 'adjust') {
      if (this.booked.has(command.entry.key)) return { kind: 'duplicate' }
      if (this.free(accountId) + command.amountMicro < 0n) return this.refused(accountId)
      this.book(accountId, command.entry.key, command.amountMicro)
      const { type } = command.entry
      const given = type === 'signup_bonus' || (type === 'adjustment' && command.amountMicro > 0n)
      const gift = this.gift(accountId) + (given ? command.amountMicro : 0n)
      this.gifts.set(accountId, least(gift, this.total(accountId)))
      return { kind: 'posted', ...this.sums(accountId) }
    }
    const found = this.holds.get(command.holdId)
    const mine = found?.account === accountId ? found : undefined
    if (command.kind === 'hold') {
      const { usual } = command
      const half = this.uncommitted(accountId) / 2n
      const isGuess = mine
        ? mine.guessed
        : usual !== undefined && command.bounds!.minimumMicro > half
      const guessed = isGuess ? { guessed: true as const } : {}
      const { estimateMicro: want, minimumMicro: need, bounds: own } = (isGuess && usual) || command
      const most = want > need ? want : need
      const bounds = own ?? {
        minimumMicro: need,
        initialLimitMicro: most,
        worstCaseMicro: most,
        fixed: true,
        rough: false,
      }
      if (mine) return this.heldOf(accountId, mine, bounds)
      const others = [...this.holds.values()].filter((one) => one.account === accountId)
      if (isGuess && others.some((one) => one.guessed)) return { kind: 'guess_open' }
      const [free, uncommitted] = [this.free(accountId), this.uncommitted(accountId)]
      if (bounds.rough && bounds.minimumMicro > uncommitted / 16n)
        return { kind: 'needs_exact_bounds' }
      if (free < need || free === 0n) return { ...this.refused(accountId), ...guessed }
      if (uncommitted < bounds.minimumMicro)
        return { kind: 'refused', availableMicro: uncommitted, ...guessed }
      const limit = limitOf(uncommitted, bounds)
      const amount = least(want, free, limit)
      const made = { account: accountId, amount, limit, guessed: isGuess }
      this.holds.set(command.holdId, made)
      return this.heldOf(accountId, made, bounds)
    }
    if (!mine) return { kind: 'gone' }
    if (command.kind === 'renew') return { kind: 'renewed' }
    if (command.kind === 'extend') {
      mine.limit += least(command.byMicro, this.uncommitted(accountId))
      return { kind: 'extended', limitMicro: mine.limit }
    }
    this.holds.delete(command.holdId)
    if (command.kind === 'release') {
      return { kind: 'released', availableMicro: this.free(accountId) }
    }
    let uncollectedMicro = 0n
    const giftMicro: bigint[] = []
    const chargedMicro = command.charges.map(({ costMicro, entry }) => {
      giftMicro.push(0n)
      if (this.booked.has(entry.key)) return 0n
      const free = this.free(accountId)
      const paid = costMicro < free ? costMicro : free
      uncollectedMicro += costMicro - paid
      if (paid > 0n) this.book(accountId, entry.key, -paid)
      const gift = least(paid, this.gift(accountId))
      this.gifts.set(accountId, this.gift(accountId) - gift)
      giftMicro[giftMicro.length - 1] = gift
      return paid
    })
    this.lost += uncollectedMicro
    return { kind: 'settled', chargedMicro, giftMicro, uncollectedMicro, ...this.sums(accountId) }
  }

  private book(account: string, key: string, amount: bigint): void {
    this.booked.set(key, amount)
    this.balance.set(account, this.total(account) + amount)
  }

  private heldOf(
    account: string,
    { amount, limit, guessed }: ModelHold,
    { worstCaseMicro, fixed }: Pick<CostBounds, 'worstCaseMicro' | 'fixed'>,
  ): Outcome {
    const reachable = fixed ? limit : least(worstCaseMicro, limit + this.uncommitted(account))
    const availableMicro = this.free(account)
    const ceilingMicro = reachable > limit ? reachable : limit
    const amounts = { heldMicro: amount, availableMicro, limitMicro: limit, ceilingMicro }
    return { kind: 'held', ...amounts, guessed }
  }

  private sums(account: string) {
    return { balanceMicro: this.total(account), availableMicro: this.free(account) }
  }

  private refused(account: string) {
    return { kind: 'refused' as const, availableMicro: this.free(account) }
  }
}

function least(...amounts: bigint[]): bigint {
  return amounts.reduce((a, b) => (a < b ? a : b))
}

function limitOf(uncommitted: bigint, bounds: Omit<CostBounds, 'committedMicro'>): bigint {
  const { minimumMicro, initialLimitMicro, worstCaseMicro, fixed } = bounds
  if (worstCaseMicro <= uncommitted / 16n) return worstCaseMicro
  let limit = least(initialLimitMicro, uncommitted)
  if (fixed && limit < uncommitted / 2n) limit = uncommitted / 2n
  if (limit < minimumMicro) limit = minimumMicro
  return least(limit, worstCaseMicro)
}
