import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { withDatabase } from '../support/databases.ts'
import { describeSchema, SCHEMA_FILE } from '../support/schema.ts'

withDatabase('docs/schema.sql', (open) => {
  test('is what the migrations make: else run `npm run schema`', async () => {
    assert.equal(readFileSync(SCHEMA_FILE, 'utf8'), await describeSchema(await open()))
  })
})
