import type { Command, Outcome } from '../../src/billing/commands.ts'

/** The ledger once more, as plainly as possible: numbers of a whole world, one rule per line. */
export class Model {
  balance = new Map<string, bigint>()
  holds = new Map<string, { account: string; amount: bigint }>()
  booked = new Map<string, bigint>()
  lost = 0n

  total(account: string): bigint {
    return this.balance.get(account) ?? 0n
  }

  held(account: string): bigint {
    const own = [...this.holds.values()].filter((hold) => hold.account === account)
    return own.reduce((sum, hold) => sum + hold.amount, 0n)
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
      return { kind: 'posted', ...this.sums(accountId) }
    }
    const found = this.holds.get(command.holdId)
    const mine = found?.account === accountId ? found : undefined
    if (command.kind === 'hold') {
      const availableMicro = this.free(accountId)
      if (mine) return { kind: 'held', heldMicro: mine.amount, availableMicro }
      if (availableMicro < command.needMicro || availableMicro === 0n)
        return this.refused(accountId)
      const amount = command.wantMicro < availableMicro ? command.wantMicro : availableMicro
      this.holds.set(command.holdId, { account: accountId, amount })
      return { kind: 'held', heldMicro: amount, availableMicro: availableMicro - amount }
    }
    if (!mine) return { kind: 'gone' }
    if (command.kind === 'renew') return { kind: 'renewed' }
    this.holds.delete(command.holdId)
    if (command.kind === 'release') {
      return { kind: 'released', availableMicro: this.free(accountId) }
    }
    let uncollectedMicro = 0n
    const chargedMicro = command.charges.map(({ costMicro, entry }) => {
      if (this.booked.has(entry.key)) return 0n
      const free = this.free(accountId)
      const paid = costMicro < free ? costMicro : free
      uncollectedMicro += costMicro - paid
      if (paid > 0n) this.book(accountId, entry.key, -paid)
      return paid
    })
    this.lost += uncollectedMicro
    return { kind: 'settled', chargedMicro, uncollectedMicro, ...this.sums(accountId) }
  }

  private book(account: string, key: string, amount: bigint): void {
    this.booked.set(key, amount)
    this.balance.set(account, this.total(account) + amount)
  }

  private sums(account: string) {
    return { balanceMicro: this.total(account), availableMicro: this.free(account) }
  }

  private refused(account: string): Outcome {
    return { kind: 'refused', availableMicro: this.free(account) }
  }
}
