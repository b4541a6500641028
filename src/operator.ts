import { readConfig, type Config } from './config.ts'
import { openExternal } from './external.ts'
import { buildHouse } from './house.ts'
import { systemClock } from './lib/clock.ts'
import { createLog } from './lib/log.ts'
import { loadEnvFile } from './load-env-file.ts'
import { loadMasterKey } from './master-key.ts'
import { findCommand, runCommand, USAGE } from './operator/commands.ts'
import { askThroughDoor } from './operator/door.ts'
import { prepareDatabase } from './prepare-database.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** `npm run mlango -- <noun> …`: in the running service where there is one, else in a house of its own. */
async function run(args: string[]): Promise<number> {
  if (findCommand(args[0]) === undefined) {
    print(USAGE)
    return args[0] === undefined || args[0] === 'help' || args[0] === '--help' ? 0 : 2
  }
  loadEnvFile()
  const config = readConfig(process.env)
  const code =
    config.DATABASE_URL === undefined
      ? await askThroughDoor(config.DATA_DIR, args, print)
      : undefined
  return code ?? runHere(config, args)
}

async function runHere(config: Config, args: string[]): Promise<number> {
  const log = createLog({ level: 'warn', pretty: process.stdout.isTTY })
  const db = await prepareDatabase(config, log)
  try {
    const masterKey = await loadMasterKey(config)
    const external = await openExternal(config, process.env, () => config.PUBLIC_URL ?? '')
    const house = await buildHouse({ config, db, masterKey, external, log, clock: systemClock })
    const code = await runCommand(args, house, print)
    await house.end()
    await external.close()
    return code
  } finally {
    await db.close()
    await log.flush()
  }
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
