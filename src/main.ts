import cluster from 'node:cluster'
import type { AddressInfo } from 'node:net'
import { readConfig, type Config } from './config.ts'
import { openExternal } from './external.ts'
import { buildHouse } from './house.ts'
import { systemClock } from './lib/clock.ts'
import { createLog, type Log } from './lib/log.ts'
import { loadEnvFile } from './load-env-file.ts'
import { loadMasterKey } from './master-key.ts'
import { openMetrics } from './metrics.ts'
import { openOperatorDoor } from './operator/door.ts'
import { prepareDatabase } from './prepare-database.ts'
import { checkVoiceDefaults } from './voice-settings.ts'
import { welcome, whyNot } from './welcome.ts'
import { superviseWorkers } from './workers.ts'

/** The front door: settings → database → migrations → house → listen → drain on a signal. */
async function open(config: Config, log: Log): Promise<void> {
  const masterKey = await loadMasterKey(config)
  const db = await prepareDatabase(config, log)
  let address = ''
  const external = await openExternal(config, process.env, () => config.PUBLIC_URL ?? address)
  const metrics =
    config.METRICS_PORT === undefined
      ? undefined
      : await openMetrics({ host: config.HOST, port: config.METRICS_PORT })
  const house = await buildHouse({
    config,
    db,
    masterKey,
    external,
    log,
    clock: systemClock,
    observe: metrics?.observe,
  })
  metrics?.watch(house.gauges)
  checkVoiceDefaults(config, house.catalog, log)
  await house.server.listen({ host: config.HOST, port: config.PORT })
  const { port } = house.server.server.address() as AddressInfo
  address = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  house.begin()
  const door = db.engine === 'embedded' ? await openOperatorDoor(house) : undefined
  if (config.LOG_LEVEL !== 'silent' && (cluster.worker?.id ?? 1) === 1) {
    process.stdout.write(welcome(config, { address, simulated: external.simulated }))
  }
  endWith(log, async () => {
    log.info('The service is stopping; running calls may finish.')
    await door?.close()
    await house.end()
    await metrics?.close()
    await external.close()
    await db.close()
    log.info('The service has stopped.')
    await log.flush()
  })
}

/** The first signal drains, the second ends at once. A bug that nobody caught drains too. */
function endWith(log: Log, close: () => Promise<void>): void {
  let closing = false
  const end = (code: number) => {
    if (closing) process.exit(1)
    closing = true
    close().then(
      () => process.exit(code),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', () => end(0))
  process.on('SIGINT', () => end(0))
  process.on('uncaughtException', (error) => {
    log.error('An unexpected error; the service is stopping.', { error })
    if (!closing) end(1)
  })
}

try {
  loadEnvFile()
  const config = readConfig(process.env)
  const log = createLog({ level: config.LOG_LEVEL, pretty: process.stdout.isTTY })
  if (config.WORKERS > 1 && cluster.isPrimary) await superviseWorkers(config.WORKERS, log)
  else await open(config, log)
} catch (error) {
  process.stderr.write(`Mlango cannot start.\n${whyNot(error)}\n`)
  process.exit(1)
}
