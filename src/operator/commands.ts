import type { House } from '../house.ts'
import { accountsCommand } from './accounts.ts'
import { auditCommand } from './audit.ts'
import { catalogCommand } from './catalog.ts'
import { outboxCommand } from './outbox.ts'
import { paymentsCommand } from './payments.ts'
import type { Print } from './print.ts'

/** A noun of `npm run mlango -- <noun> …`. Prints for people; the number is the exit code. */
type Command = {
  name: string
  help: string
  run(args: string[], parts: House & { print: Print }): Promise<number>
}

const COMMANDS: Command[] = [
  accountsCommand,
  paymentsCommand,
  catalogCommand,
  outboxCommand,
  auditCommand,
]

export const USAGE = `Usage: npm run mlango -- <command>

${COMMANDS.map(({ help }) => help.replaceAll(/^/gm, '  ')).join('\n')}

The settings are those of the service.`

export function findCommand(name: string | undefined): Command | undefined {
  return COMMANDS.find((one) => one.name === name)
}

/** Runs one command line inside a house. What goes wrong is told in a sentence. */
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
