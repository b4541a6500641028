import { parseArgs } from 'node:util'
import { readConfig, type Config } from './config.ts'
import { useLocalServer } from './db/local/join.ts'
import { diagnose } from './cli/doctor/doctor.ts'
import { openProviders } from './app/providers.ts'
import { buildApp } from './app/app.ts'
import { systemClock } from './lib/clock.ts'
import { createLog, type Log } from './lib/log.ts'
import { loadEnvFile } from './app/load-env-file.ts'
import { localOptions } from './app/local-services.ts'
import { loadMasterKey } from './app/master-key.ts'
import { commandKind, runCommand, runFolderCommand, USAGE } from './cli/commands.ts'
import { exitCode, jsonOf, lastLine, lineOf, type Diagnosis } from './cli/doctor/diagnosis.ts'
import { progressLine } from './cli/progress.ts'
import { prepareDatabase } from './app/prepare-database.ts'
import { startSimulators } from './app/simulators.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** `npm run mlango -- <noun> …`, beside a running service or without one. */
async function run(args: string[]): Promise<number> {
  const kind = commandKind(args[0])
  if (kind === undefined) {
    print(USAGE)
    return args[0] === undefined || args[0] === 'help' || args[0] === '--help' ? 0 : 2
  }
  loadEnvFile()
  if (kind === 'doctor') return seeDoctor(args.slice(1))
  const config = readConfig(process.env)
  const log = createLog({ level: 'warn', pretty: process.stdout.isTTY })
  try {
    if (kind === 'app') return await runInApp(config, args, log)
    const local = localOptions(config, log)
    return await runFolderCommand(args, { config, local, screen: process.stderr }, print)
  } finally {
    await log.flush()
  }
}

async function seeDoctor(args: string[]): Promise<number> {
  const flag = { type: 'boolean', default: false } as const
  const { json, full } = parseArgs({ args, options: { json: flag, full: flag } }).values
  const progress = progressLine(
    'Rules audited',
    process.stderr,
    (done, rules) => `${done} of ${rules}`,
  )
  const found: Diagnosis[] = []
  for await (const one of diagnose({ env: process.env, full, progress: progress.show })) {
    found.push(one)
    if (!json) print(lineOf(one, process.stdout.isTTY))
  }
  print(json ? jsonOf(found) : lastLine(found))
  return exitCode(found)
}

/** The app is built but does not begin: its background jobs are left to the service. */
async function runInApp(config: Config, args: string[], log: Log): Promise<number> {
  const server =
    config.DATABASE_URL === undefined ? await useLocalServer(localOptions(config, log)) : undefined
  try {
    const masterKey = await loadMasterKey(config)
    const db = await prepareDatabase(config, log, server?.url)
    const simulators = await startSimulators(config, masterKey, { resumePayments: false })
    try {
      const providers = await openProviders({
        config,
        env: process.env,
        simulators: simulators.addresses,
        callbackBase: () => config.PUBLIC_URL ?? '',
      })
      const app = await buildApp({ config, db, masterKey, providers, log, clock: systemClock })
      return await runCommand(args, app, print).finally(() => app.end())
    } finally {
      await simulators.close()
      await db.close()
    }
  } finally {
    await server?.stop()
  }
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
