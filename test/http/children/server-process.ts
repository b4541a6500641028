import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { openDatabase } from '../../../src/db/database.ts'
import { route } from '../../../src/http/route.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { openStoredAnswers } from '../../../src/idempotency/replay-store.ts'
import { startServer } from '../../support/server.ts'

/** One process of several on one database. Each run of the handler leaves a line in a file. */
const [databaseUrl, linesPath] = process.argv.slice(2) as [string, string]
const processId = uuidv7()
const db = openDatabase({ url: databaseUrl, poolSize: 10, log: silentLog })
await db.query('insert into processes (id) values ($1)', [processId])
const { port } = await startServer({
  storedAnswers: openStoredAnswers({ db, processId }),
  routes: [
    route({
      method: 'POST',
      path: '/v1/things',
      summary: 'A test',
      tag: 'Test',
      credential: 'either',
      dialect: 'compatible',
      limit: 'none',
      replay: true,
      body: z.object({ waitMs: z.number() }),
      handle: async (call) => {
        appendFileSync(linesPath, `${call.headers['idempotency-key'] as string}\n`)
        await pause(call.body.waitMs)
        return { data: { made: uuidv7() }, headers: { 'x-credits-charged': '0.5' } }
      },
    }),
  ],
})
process.send!(port)
