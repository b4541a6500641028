import { writeFileSync } from 'node:fs'
import { dropDatabases, freshDb } from '../test/support/databases.ts'
import { describeSchema, SCHEMA_FILE } from '../test/support/schema.ts'

/** `npm run schema`: writes docs/schema.sql after a new migration. */
const db = await freshDb()
writeFileSync(SCHEMA_FILE, await describeSchema(db))
await db.close()
await dropDatabases()
