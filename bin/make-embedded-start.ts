import { writeFile } from 'node:fs/promises'
import { openInMemory } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { silentLog } from '../src/lib/log.ts'

/**
 * Makes `src/db/embedded-start.tar.gz`: the database of a first start, with every migration of
 * today. Later migrations run on top of it; make it anew when the engine's version changes, and now
 * and then for speed: `node bin/run.mjs bin/make-embedded-start.ts`.
 */
const db = await openInMemory('empty')
await migrate(db, silentLog)
const dump = await db.dump('gzip')
await writeFile(
  new URL('../src/db/embedded-start.tar.gz', import.meta.url),
  Buffer.from(await dump.arrayBuffer()),
)
await db.close()
console.log(`${dump.size} bytes`)
