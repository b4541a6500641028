import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GUARDS } from './guard-list/all.ts'

const ROOT = join(import.meta.dirname, '../..')

/* Removing them takes too long for every run; whether each is still there is known at once. */
test('every guard is found once in its file, and has a test', () => {
  const timesOf = (file: string, find: string) =>
    readFileSync(join(ROOT, file), 'utf8').split(find).length - 1
  assert.deepEqual(
    GUARDS.filter(({ file, find }) => timesOf(file, find) !== 1).map(({ name }) => name),
    [],
  )
  for (const { name, find, put, test: by } of GUARDS) {
    assert.notEqual(find, put, name)
    assert.ok(existsSync(join(ROOT, by)), `${name}: there is no ${by}`)
  }
  const names = GUARDS.map(({ name }) => name)
  assert.deepEqual([...new Set(names)], names)
})
