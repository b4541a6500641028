import { startLocalServer } from '../../../../src/db/local/start.ts'
import { silentLog } from '../../../../src/lib/log.ts'

/** Starts the server in the folder given, says so, and stays until it is told to stop. */
const [dataDir, native, copies] = process.argv.slice(2)
try {
  const server = await startLocalServer({
    dataDir: dataDir!,
    connections: 20,
    log: silentLog,
    ...(native && { native }),
    ...(copies && { copyPlaces: [copies] }),
  })
  console.log(JSON.stringify({ pid: server.pid(), url: server.url, notes: server.notes }))
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)))
  setInterval(() => {}, 1_000)
} catch (error) {
  console.log(JSON.stringify({ trouble: (error as Error).message }))
}
