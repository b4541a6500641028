import type { PricedModel } from '../catalog/catalog.ts'
import { promptCost, toMicro } from '../ledger/money.ts'
import { balanceOf } from '../ledger/statement.ts'
import { insufficient } from './bill/insufficient.ts'
import type { Gateway } from './gateway.ts'

/**
 * Throws where an account cannot pay for a prompt of so many tokens, or has nothing at all. For a
 * prompt that has to be read from the database first: its hold is exact, and comes later.
 */
export async function requireFunds(
  { billing }: Pick<Gateway, 'billing'>,
  accountId: string,
  model: PricedModel,
  promptTokens: number,
): Promise<void> {
  if (model.free) return
  const tokens = Math.min(promptTokens, model.contextLength || Infinity)
  const use = { promptTokens: tokens, completionTokens: 0 }
  const costMicro = toMicro(promptCost(model.prices, use, billing.clock.now()), model)
  const neededMicro = costMicro > 0n ? costMicro : 1n
  const { availableMicro } = await balanceOf(billing.db, accountId)
  if (availableMicro < neededMicro) throw insufficient({ availableMicro, neededMicro })
}
