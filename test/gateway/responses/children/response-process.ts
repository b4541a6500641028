import { startApp } from '../../../support/app.ts'

/** A replica that answers what waits in the background, until it is killed. */
const [databaseUrl, upstream] = process.argv.slice(2)
await startApp({
  databaseUrl: databaseUrl!,
  upstream: JSON.parse(upstream!) as Record<string, unknown>,
})
console.log('ready')
