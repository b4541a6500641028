import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
import { adjust, readAmount, type Adjustment } from '../operators/adjust.ts'
import { creditsText } from '../ledger/money.ts'
import type { Db } from '../db/db.ts'
import { isUuid, uuidv7 } from '../lib/ids.ts'
import type { Print } from './print.ts'

export const ADJUST_HELP = `accounts adjust <id> <±credits> --reason <text> --operator <name> [--key <text>]
                      credit or debit an account; the customer sees the reason,
                      and a key that was used before changes nothing`

/** `npm run mlango -- accounts adjust …`: a ledger entry with the name of the operator. */
export async function adjustAccount(
  args: string[],
  { db, print }: { db: Db; print: Print },
): Promise<number> {
  const say = (sentence: string, code: number): number => {
    print(sentence)
    return code
  }
  const wanted = read(args)
  if (wanted === undefined) return say(ADJUST_HELP, 2)
  const outcome = await adjust(db, commandActor(wanted.operator), wanted)
  switch (outcome?.kind) {
    case 'posted':
      return say(
        `Account ${wanted.accountId} now has ${creditsText(outcome.balanceMicro)} credits.`,
        0,
      )
    case 'duplicate':
      return say('An adjustment with this key was made before. Nothing has changed.', 0)
    case 'refused':
      return say(`Only ${creditsText(outcome.availableMicro)} credits are available.`, 1)
    default:
      return say('There is no such account.', 1)
  }
}

/** The amount may begin with a minus, so the first two arguments are positional. */
function read([accountId = '', amount = '', ...rest]: string[]):
  | (Adjustment & { operator: string })
  | undefined {
  const text = { type: 'string' } as const
  const options = { reason: text, operator: text, key: text }
  const { reason = '', operator = '', key = uuidv7() } = parseArgs({ args: rest, options }).values
  const named = [reason, operator, key].every((word) => word.trim() !== '' && word.length <= 200)
  const amountMicro = readAmount(amount)
  if (!isUuid(accountId) || !named || amountMicro === undefined) return undefined
  return { accountId, amountMicro, reason: reason.trim(), operator, key }
}
