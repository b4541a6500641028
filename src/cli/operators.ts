import { addOperator, removeOperator } from '../operators/operators.ts'
import { listOperators, type Operator } from '../operators/operators-store.ts'
import type { Db } from '../db/db.ts'
import { command, done, failed, list, TEXT, tableRow, verb } from './command.ts'

const HELP = `operators add <email|phone|id> --role owner|support|viewer [--reason <text>] [--operator <name>]
                      make an account an operator's, or change its role; it must be
                      verified and have an authenticator app
operators remove <email|phone|id> [--reason <text>] [--operator <name>]
operators list`

const ROLES = ['owner', 'support', 'viewer'] as const

type Parts = { db: Db }

export const operatorsCommand = command<Parts>('operators', HELP, {
  add: verb(['who'], { role: TEXT }, async ({ db }: Parts, { who, role, actor, reason }) => {
    if (role === undefined) return 'usage'
    const known = ROLES.find((one) => one === role)
    if (!known) {
      return { code: 2, lines: [`There is no role "${role}". Roles: ${ROLES.join(', ')}.`] }
    }
    const added = await addOperator(db, actor, { who, role: known, reason })
    return added
      ? done(`${who} is now an operator: ${known}.`)
      : failed('There is no verified, active account like this.')
  }),
  remove: verb(['who'], {}, async ({ db }: Parts, { who, actor, reason }) => {
    const removed = await removeOperator(db, actor, { who, reason })
    return removed ? done(`${who} is no operator now.`) : failed('That is no operator.')
  }),
  list: verb([], {}, async ({ db }: Parts) => list((await listOperators(db)).map(line))),
})

function factorOf({ hasPasskey, hasAuthenticator }: Operator): string {
  if (hasPasskey) return 'passkey'
  return hasAuthenticator ? 'authenticator' : 'NO AUTHENTICATOR'
}

function line(operator: Operator): string {
  return tableRow(
    operator.accountId,
    operator.role,
    operator.email ?? operator.phoneNumber ?? '-',
    factorOf(operator),
    operator.addedAt.toISOString(),
  )
}
