import { parseArgs } from 'node:util'
import { withAppBeside } from './app/beside.ts'
import { readConfig } from './config.ts'
import { diagnose } from './cli/doctor/doctor.ts'
import { createLog } from './lib/log.ts'
import { loadEnvFile } from './app/load-env-file.ts'
import { localOptions } from './app/local-services.ts'
import { commandKind, runCommand, runFolderCommand, USAGE } from './cli/commands.ts'
import { exitCode, jsonOf, lastLine, lineOf, type Diagnosis } from './cli/doctor/diagnosis.ts'
import { progressLine } from './cli/progress.ts'

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
    if (kind === 'app') {
      const env = process.env
      return await withAppBeside({ config, env, log }, (app) => runCommand(args, app, print))
    }
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

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
