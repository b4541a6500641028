import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { failures, table } from '../outsiders/verdict.ts'

const page = readFileSync(new URL('../../docs/outsiders.md', import.meta.url), 'utf8')

test("the page about outsiders' suites has the table of what is expected of them", () => {
  for (const wanted of [table(), failures()]) {
    assert.ok(page.includes(wanted), `docs/outsiders.md should have:\n${wanted}`)
  }
})
