import type { AddressInfo } from 'node:net'
import { ConfigError, readConfig, type Config } from './config.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { buildHouse } from './house.ts'
import { systemClock } from './lib/clock.ts'
import { createLog, type Log } from './lib/log.ts'
import { loadEnvFile } from './load-env-file.ts'
import { loadMasterKey } from './master-key.ts'
import { openOperatorDoor } from './operator/door.ts'
import { openOutside } from './outside.ts'
import { welcome } from './welcome.ts'

/** The front door: settings → database → migrations → house → listen → drain on a signal. */
async function open(config: Config, log: Log): Promise<void> {
  const masterKey = await loadMasterKey(config)
  const db = await openDatabase(config, log)
  await migrate(db, log)
  let address = ''
  const outside = await openOutside(config, process.env, () => config.PUBLIC_URL ?? address)
  const house = await buildHouse({ config, db, masterKey, outside, log, clock: systemClock })
  await house.server.listen({ host: config.HOST, port: config.PORT })
  const { port } = house.server.server.address() as AddressInfo
  address = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  house.begin()
  const door = db.engine === 'embedded' ? await openOperatorDoor(house) : undefined
  if (process.stdout.isTTY || config.LOG_LEVEL !== 'silent') {
    process.stdout.write(welcome(config, { address, simulated: outside.simulated }))
  }
  onSignal(async () => {
    log.info('draining')
    await door?.close()
    await house.end()
    await outside.close()
    await db.close()
    log.info('closed')
    await log.flush()
  })
}

/** The first signal drains, the second ends at once. */
function onSignal(close: () => Promise<void>): void {
  let closing = false
  const end = () => {
    if (closing) process.exit(1)
    closing = true
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

try {
  loadEnvFile()
  const config = readConfig(process.env)
  const log = createLog({ level: config.LOG_LEVEL, pretty: process.stdout.isTTY })
  await open(config, log)
} catch (error) {
  const told = error instanceof ConfigError ? `Mlango cannot start.\n${error.message}` : error
  process.stderr.write(`${told instanceof Error ? (told.stack ?? told.message) : String(told)}\n`)
  process.exit(1)
}
