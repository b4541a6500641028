import type { House } from '../house.ts'
import { accountsCommand } from './accounts.ts'
import { auditCommand } from './audit.ts'
import { catalogCommand } from './catalog.ts'
import { keysCommand } from './keys.ts'
import { outboxCommand } from './outbox.ts'
import { paymentsCommand } from './payments.ts'
import type { Print } from './print.ts'

/** `npm run mlango -- <name> …`. Prints for people; the number is the exit code. */
type OperatorCommand = {
  name: string
  help: string
  run(args: string[], parts: House & { print: Print }): Promise<number>
}

const COMMANDS: OperatorCommand[] = [
  accountsCommand,
  paymentsCommand,
  catalogCommand,
  outboxCommand,
  keysCommand,
  auditCommand,
]

export const USAGE = `Usage: npm run mlango -- <command>

${COMMANDS.map(({ help }) => help.replaceAll(/^/gm, '  ')).join('\n')}

The commands read the same settings as the service.`

export function findCommand(name: string | undefined): OperatorCommand | undefined {
  return COMMANDS.find((one) => one.name === name)
}

/** Runs one command line inside a house. An error is printed as a sentence. */
export async function runCommand(args: string[], house: House, print: Print): Promise<number> {
  const [name, ...rest] = args
  const command = findCommand(name)
  if (command === undefined) {
    print(USAGE)
    return 2
  }
  try {
    return await command.run(rest, { ...house, print })
  } catch (error) {
    // An unknown option, or a database that is away: the operator needs the sentence, not a stack.
    print(error instanceof Error ? error.message : String(error))
    return 1
  }
}
