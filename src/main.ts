import cluster from 'node:cluster'
import { readConfig, type Config } from './config.ts'
import { buildConsole } from './web/build.ts'
import { consoleFolders } from './web/folders.ts'
import { endOnSignal } from './app/end-on-signal.ts'
import { createLog, type Log } from './lib/log.ts'
import { loadEnvFile } from './app/load-env-file.ts'
import {
  startLocalServices,
  type LocalAddresses,
  type LocalServices,
} from './app/local-services.ts'
import { welcome, whyNot } from './app/welcome.ts'
import { showWorkerMetrics } from './app/worker-metrics.ts'
import { startWorkers, type WorkerQuestion, type WorkerReport } from './app/workers.ts'

/** The front door: settings → what the service brings along → the service → drain on a signal. */
async function start(): Promise<void> {
  loadEnvFile()
  const config = readConfig(process.env)
  const log = createLog({ level: config.LOG_LEVEL, pretty: process.stdout.isTTY })
  if (cluster.isWorker) await runWorker(config, log)
  else await run(config, log, config.WORKERS > 1 ? superviseWorkers : serveHere)
}

type Running = { address: string; end(): Promise<void> }

async function run(
  config: Config,
  log: Log,
  open: (config: Config, log: Log, local: Promise<LocalServices>) => Promise<Running>,
): Promise<void> {
  const starting = startLocalServices(config, log)
  try {
    const { address, end } = await open(config, log, starting)
    const local = await starting
    const pages = buildConsole({ folders: consoleFolders(config.DATA_DIR), log })
    endOnSignal(log, async () => {
      log.info('The service is stopping; running calls may finish.')
      pages.stop()
      await end()
      await local.stop()
      log.info('The service has stopped.')
      await log.flush()
    })
    // Last: whoever reads it may stop the service at once.
    if (config.LOG_LEVEL !== 'silent') {
      process.stdout.write(welcome(config, { address, notes: local.notes }))
    }
  } catch (error) {
    await starting.then(
      (local) => local.stop(),
      () => {},
    )
    throw error
  }
}

/** The service is loaded while the database starts. */
async function serveHere(
  config: Config,
  log: Log,
  starting: Promise<LocalServices>,
): Promise<Running> {
  const [local, { serve }] = await Promise.all([starting, import('./app/serve.ts')])
  const serving = await serve({ config, env: process.env, local: local.addresses, log })
  return { address: serving.address, end: serving.close }
}

/** This process then only starts the workers, looks after them, and has what they share. */
async function superviseWorkers(
  config: Config,
  log: Log,
  starting: Promise<LocalServices>,
): Promise<Running> {
  const { addresses } = await starting
  const workers = await startWorkers({
    count: config.WORKERS,
    env: { LOCAL_ADDRESSES: JSON.stringify(addresses) },
    log,
  })
  try {
    const metrics = await showWorkerMetrics(config)
    return { address: workers.address, end: () => workers.end().finally(metrics.close) }
  } catch (error) {
    await workers.end()
    throw error
  }
}

async function runWorker(config: Config, log: Log): Promise<void> {
  const local = JSON.parse(process.env.LOCAL_ADDRESSES ?? '') as LocalAddresses
  const { serve } = await import('./app/serve.ts')
  const serving = await serve({ config, env: process.env, local, log, isWorker: true })
  endOnSignal(log, async () => {
    await serving.close()
    await log.flush()
  })
  process.on('message', async ({ question }: WorkerQuestion) => {
    report({ counted: (await serving.metrics?.readings()) ?? [], question })
  })
  report({ serving: serving.address })
}

function report(what: WorkerReport, then: () => void = () => {}): void {
  process.send!(what, then)
}

try {
  await start()
} catch (error) {
  const reason = whyNot(error)
  if (cluster.isWorker) report({ cannotStart: reason }, () => process.exit(1))
  else {
    process.stderr.write(`Mlango cannot start.\n${reason}\n`)
    process.exit(1)
  }
}
