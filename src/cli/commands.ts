import type { App } from '../app/app.ts'
import { accountsCommand } from './accounts.ts'
import { auditCommand } from './audit.ts'
import { backupCommand, restoreCommand, type DataFolder } from './backup.ts'
import { catalogCommand } from './catalog.ts'
import { exportCommand } from './export.ts'
import { fxCommand } from './fx.ts'
import { keysCommand } from './keys.ts'
import { modelsCommand } from './models.ts'
import { operatorsCommand } from './operators.ts'
import { outboxCommand } from './outbox.ts'
import { paymentsCommand } from './payments.ts'
import { restoredCommand } from './restored.ts'
import type { CliCommand, Print } from './command.ts'
import { webhooksCommand } from './webhooks.ts'
import { upstreamsCommand } from './upstreams.ts'

const APP_COMMANDS: CliCommand<App>[] = [
  accountsCommand,
  paymentsCommand,
  catalogCommand,
  modelsCommand,
  upstreamsCommand,
  outboxCommand,
  webhooksCommand,
  keysCommand,
  operatorsCommand,
  exportCommand,
  fxCommand,
  auditCommand,
  restoredCommand,
]

const DOCTOR_HELP = `doctor [--full] [--json]
                      check settings, database, providers, address, files and books;
                      --full audits every account. Sends nothing and changes nothing`

/** They work on the whole of DATA_DIR, without building the app. */
const FOLDER_COMMANDS: CliCommand<DataFolder>[] = [backupCommand, restoreCommand]

export const USAGE = `Usage: npm run mlango -- <command>

${[...APP_COMMANDS, ...FOLDER_COMMANDS, { help: DOCTOR_HELP }].map(indented).join('\n')}

The commands read the same settings as the service, and work whether it is running or not.`

function indented({ help }: { help: string }): string {
  return help.replaceAll(/^/gm, '  ')
}

/** The doctor starts before anything else is opened, since that may be what is broken. */
export function commandKind(name: string | undefined): 'app' | 'folder' | 'doctor' | undefined {
  if (name === 'doctor') return 'doctor'
  if (APP_COMMANDS.some((one) => one.name === name)) return 'app'
  return FOLDER_COMMANDS.some((one) => one.name === name) ? 'folder' : undefined
}

/** Runs one command line inside an app. An error is printed as a sentence. */
export function runCommand(args: string[], app: App, print: Print): Promise<number> {
  return runOneOf(APP_COMMANDS, args, { ...app, print })
}

export function runFolderCommand(
  args: string[],
  folder: DataFolder,
  print: Print,
): Promise<number> {
  return runOneOf(FOLDER_COMMANDS, args, { ...folder, print })
}

async function runOneOf<Parts>(
  commands: CliCommand<Parts>[],
  [name, ...rest]: string[],
  parts: Parts & { print: Print },
): Promise<number> {
  const command = commands.find((one) => one.name === name)
  if (command === undefined) {
    parts.print(USAGE)
    return 2
  }
  try {
    return await command.run(rest, parts)
  } catch (error) {
    // An unknown option, or a database that is away: the operator needs the sentence, not a stack.
    parts.print(error instanceof Error ? error.message : String(error))
    return 1
  }
}
