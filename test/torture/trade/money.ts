import { adjust } from '../../../src/operators/adjust.ts'
import { commandActor } from '../../../src/operators/actor.ts'
import { resolveReview } from '../../../src/operators/payment-actions.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import type { startApp } from '../../support/app.ts'
import type { Random } from '../load/random.ts'

type App = Awaited<ReturnType<typeof startApp>>

export type MoneyCounts = { completed: number; failed: number; reversed: number; adjusted: number }

const OPERATOR = commandActor('trade')
const PAYERS_AT_ONCE = 20

/** Top-ups through the simulated provider: most are paid, some are refused, some are taken back. */
export async function topUps(
  app: App,
  accounts: string[],
  plan: { count: number; random: Random },
): Promise<Omit<MoneyCounts, 'adjusted'>> {
  const { payments } = app.rooms
  const { random } = plan
  const counts = { completed: 0, failed: 0, reversed: 0 }
  for (let done = 0; done < plan.count; done += PAYERS_AT_ONCE) {
    const size = Math.min(PAYERS_AT_ONCE, plan.count - done)
    const wanted = Array.from({ length: size }, () => ({
      accountId: random.pick(accounts),
      amountTzs: random.pick([500, 1_000, 5_000, 10_000, 50_000]) + random.between(0, 99),
      refused: random.chance(0.08),
      takenBack: random.chance(0.03),
    }))
    await Promise.all(
      wanted.map(async ({ accountId, amountTzs, refused, takenBack }) => {
        const { id, reference } = await payments.topUp({ accountId, amountTzs, keep: undefined })
        await payments.idle()
        app.money.control.settle(reference, refused ? 'failed' : 'completed')
        await payments.check(id)
        if (refused) return (counts.failed += 1)
        counts.completed += 1
        if (!takenBack) return undefined
        app.money.control.takeBack(reference, { word: 'reversed' })
        await payments.check(id)
        counts.reversed += 1
        return putRight(app, { id, accountId, amountTzs })
      }),
    )
  }
  return counts
}

/** The credits of a payment that was taken back are taken back too, as far as they are there. */
async function putRight(
  { db }: App,
  payment: { id: string; accountId: string; amountTzs: number },
): Promise<void> {
  const { id, accountId, amountTzs } = payment
  const take = (amountMicro: bigint) =>
    adjust(db, OPERATOR, {
      accountId,
      amountMicro: -amountMicro,
      reason: 'Reversed',
      key: uuidv7(),
    })
  const outcome = await take(BigInt(amountTzs) * 1_000_000n)
  if (outcome?.kind === 'refused' && outcome.availableMicro > 0n) await take(outcome.availableMicro)
  const note = 'The provider took the money back.'
  const resolved = await resolveReview(db, OPERATOR, { id, resolution: 'refunded', note })
  if (!resolved) throw new Error('A payment that was taken back is not to be reviewed.')
}

export async function adjustments(
  { db }: App,
  accounts: string[],
  plan: { count: number; random: Random },
): Promise<number> {
  let posted = 0
  for (let i = 0; i < plan.count; i++) {
    const accountId = plan.random.pick(accounts)
    const size = BigInt(plan.random.between(1, 400_000_000))
    const amountMicro = plan.random.chance(0.6) ? size : -size
    const adjustment = { accountId, amountMicro, reason: 'A correction', key: uuidv7() }
    const outcome = await adjust(db, OPERATOR, adjustment)
    if (outcome?.kind === 'posted') posted += 1
  }
  return posted
}
