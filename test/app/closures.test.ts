import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../../src')
const SET_WHERE_WRITTEN =
  /[\w)\]]\.#?\w+ (?:\?\?)?=\s+(?:async )?(?:\([^()]*\)(?:: [^=\n]+)? =>|\w+ =>|function\b)/

/**
 * V8 makes a function old from the start if it is written where it is set on an object, and all that
 * it sees stays until old garbage is collected: of a call, its request and its answer. A function
 * with a name of its own, set in a second step, is collected young.
 */
test('no function is set on an object where it is written', () => {
  const files = globSync('**/*.ts', { cwd: SRC })
  assert.ok(files.length > 300, `${files.length} files were read`)
  const found = files.filter((file) =>
    SET_WHERE_WRITTEN.test(readFileSync(join(SRC, file), 'utf8')),
  )
  assert.deepEqual(found, [])
})

test('finds such a function, however it is written', () => {
  for (const line of [
    'deadline.close = (fault) => this.#abort(fault)',
    'this.#wake =\n      () => {}',
    'call.end ??= async (error: Error): Promise<void> => {}',
    'list[0].run = one => one',
    'query.callback = function () {}',
  ]) {
    assert.match(line, SET_WHERE_WRITTEN)
  }
  for (const line of [
    'const close = (fault) => this.#abort(fault)',
    'this.#wake = wake',
    'this.#sum = (a + b) * 2',
    'this.#list = list.map((one) => one)',
    '  readonly #onAbort = () => this.end()',
  ]) {
    assert.doesNotMatch(line, SET_WHERE_WRITTEN)
  }
})
