import { describe, test } from 'node:test'

/* A test that never ends. */

test('one that ends', () => {})
describe('a suite', () => {
  test('one that never ends', () => new Promise(() => setInterval(() => {}, 1_000)))
})
