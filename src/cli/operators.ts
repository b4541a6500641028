import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
import { addOperator, removeOperator } from '../operators/operators.ts'
import { listOperators, type Operator } from '../operators/operators-store.ts'
import type { Db } from '../db/db.ts'
import type { Print } from './print.ts'

const HELP = `operators add <email|phone|id> --role owner|support|viewer [--reason <text>] [--operator <name>]
                      make an account an operator's, or change its role; it must be verified
operators remove <email|phone|id> [--reason <text>] [--operator <name>]
operators list`

const ROLES = ['owner', 'support', 'viewer'] as const

/** `npm run mlango -- operators …`. */
export const operatorsCommand = {
  name: 'operators',
  help: HELP,
  async run(args: string[], { db, print }: { db: Db; print: Print }): Promise<number> {
    const [verb, ...rest] = args
    const text = { type: 'string' } as const
    const options = { role: text, reason: text, operator: text }
    const { positionals, values } = parseArgs({ args: rest, options, allowPositionals: true })
    const [who] = positionals
    if (verb === 'list' && who === undefined) return list(db, print)
    const role = ROLES.find((one) => one === values.role)
    if (verb === 'add' && values.role !== undefined && role === undefined) {
      print(`There is no role ${JSON.stringify(values.role)}. Roles: ${ROLES.join(', ')}.`)
      return 2
    }
    const wrongRole = verb === 'add' ? role === undefined : values.role !== undefined
    if ((verb !== 'add' && verb !== 'remove') || who === undefined || wrongRole) {
      print(HELP)
      return 2
    }
    const actor = commandActor(values.operator)
    const { reason } = values
    const account = role
      ? await addOperator(db, actor, { who, role, reason })
      : await removeOperator(db, actor, { who, reason })
    if (account) print(role ? `${who} is now an operator: ${role}.` : `${who} is no operator now.`)
    else print(role ? 'There is no verified, active account like this.' : 'That is no operator.')
    return account ? 0 : 1
  },
}

async function list(db: Db, print: Print): Promise<number> {
  const operators = await listOperators(db)
  for (const operator of operators) print(line(operator))
  print(`${operators.length} shown.`)
  return 0
}

function line(operator: Operator): string {
  const columns = [
    operator.accountId,
    operator.role,
    operator.email ?? operator.phoneNumber ?? '-',
    operator.hasAuthenticator ? 'authenticator' : 'NO AUTHENTICATOR',
    operator.addedAt.toISOString(),
  ]
  return columns.join('  ')
}
