import { parseArgs } from 'node:util'
import { findAccount } from '../accounts/accounts-store.ts'
import { applyCommands } from '../billing/ledger-store.ts'
import { creditsNumber, creditsText, parseCredits } from '../billing/money.ts'
import type { Db } from '../db/db.ts'
import { isUuid, uuidv7 } from '../lib/ids.ts'
import { notify } from '../notices/notices.ts'
import type { Print } from './print.ts'

export const ADJUST_HELP = `accounts adjust <id> <±credits> --reason <text> --operator <name> [--key <text>]
                      credit or debit an account; the customer sees the reason,
                      and a key that was used before changes nothing`

type Adjustment = {
  accountId: string
  amountMicro: bigint
  reason: string
  operator: string
  key: string
}

/** `npm run mlango -- accounts adjust …`: a ledger entry with the name of the operator. */
export async function adjustAccount(
  args: string[],
  { db, print }: { db: Db; print: Print },
): Promise<number> {
  const say = (sentence: string, code: number): number => {
    print(sentence)
    return code
  }
  const adjustment = read(args)
  if (adjustment === undefined) return say(ADJUST_HELP, 2)
  const outcome = await apply(db, adjustment)
  const { accountId } = adjustment
  switch (outcome?.kind) {
    case 'posted':
      return say(`Account ${accountId} now has ${creditsText(outcome.balanceMicro)} credits.`, 0)
    case 'duplicate':
      return say('An adjustment with this key was made before. Nothing has changed.', 0)
    case 'refused':
      return say(`Only ${creditsText(outcome.availableMicro)} credits are available.`, 1)
    default:
      return say('There is no such account.', 1)
  }
}

/** The amount may begin with a minus, so the first two arguments are positional. */
function read([accountId = '', amount = '', ...rest]: string[]): Adjustment | undefined {
  const text = { type: 'string' } as const
  const options = { reason: text, operator: text, key: text }
  const { reason = '', operator = '', key = uuidv7() } = parseArgs({ args: rest, options }).values
  const wellFormed = isUuid(accountId) && /^[+-]?\d{1,9}(\.\d{1,6})?$/.test(amount)
  const named = [reason, operator, key].every((word) => word.trim() !== '' && word.length <= 200)
  if (!wellFormed || !named) return undefined
  const size = parseCredits(amount.replace(/^[+-]/, ''))
  const amountMicro = amount.startsWith('-') ? -size : size
  return amountMicro === 0n ? undefined : { accountId, amountMicro, reason, operator, key }
}

function apply(db: Db, adjustment: Adjustment) {
  const { accountId, amountMicro, reason, operator, key } = adjustment
  return db.begin(async (tx) => {
    if ((await findAccount(tx, accountId)) === undefined) return undefined
    const description = reason.trim()
    const entry = { id: uuidv7(), key: `adjustment:${key}`, description, operator: operator.trim() }
    const [outcome] = await applyCommands(tx, [
      { kind: 'adjust', accountId, amountMicro, entry: { ...entry, type: 'adjustment' } },
    ])
    if (outcome?.kind === 'posted' && amountMicro > 0n) {
      const data = { credits: creditsNumber(amountMicro), reason: 'adjustment' as const }
      await notify(tx, { accountId, type: 'credits.granted', data })
    }
    return outcome as Extract<typeof outcome, { kind: 'posted' | 'duplicate' | 'refused' }>
  })
}
