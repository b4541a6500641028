import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { routesType } from '../../console/routes-type.ts'

const FILE = join(import.meta.dirname, '../../console/src/client/routes.ts')

/** The file is formatted; spaces, quotes and separators do not count. */
const bare = (text: string) => text.replaceAll(/[\s;'",()|]/g, '')

test('the console knows the routes that the API has', async () => {
  const written = bare(readFileSync(FILE, 'utf8'))
  assert.ok(written === bare(await routesType()), 'routes.ts is stale: npm run console:routes')
})
