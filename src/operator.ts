import { readConfig } from './config.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { buildHouse, type House } from './house.ts'
import { systemClock } from './lib/clock.ts'
import { createLog } from './lib/log.ts'
import { loadMasterKey } from './master-key.ts'
import { openOutside } from './outside.ts'
import { auditCommand } from './operator/audit.ts'

/** A noun of `npm run mlango -- <noun> …`. Prints for people; the number is the exit code. */
type Command = { name: string; help: string; run(args: string[], house: House): Promise<number> }

const COMMANDS: Command[] = [auditCommand]

const USAGE = `Usage: npm run mlango -- <command>

${COMMANDS.map(({ help }) => help.replaceAll(/^/gm, '  ')).join('\n')}

The settings are those of the service. With the embedded database, stop the service first.
`

async function run(): Promise<number> {
  const [name, ...args] = process.argv.slice(2)
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) {
    process.stdout.write(USAGE)
    return name === undefined || name === 'help' || name === '--help' ? 0 : 2
  }
  const config = readConfig(process.env)
  const log = createLog({ level: 'warn', pretty: process.stdout.isTTY })
  const db = await openDatabase(config, log)
  try {
    await migrate(db, log)
    const outside = await openOutside(config, process.env, () => config.PUBLIC_URL ?? '')
    const masterKey = await loadMasterKey(config)
    const house = await buildHouse({ config, db, masterKey, outside, log, clock: systemClock })
    const code = await command.run(args, house)
    await house.end()
    await outside.close()
    return code
  } finally {
    await db.close()
    await log.flush()
  }
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
