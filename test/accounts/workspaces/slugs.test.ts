import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSlug, slugFrom } from '../../../src/accounts/workspaces/workspaces.ts'
import { Failure } from '../../../src/lib/failure.ts'

const namesSlug = (error: unknown) =>
  error instanceof Failure && error.kind === 'invalid' && error.param === 'slug'

describe('workspace slugs', () => {
  it('are 1 to 63 lowercase letters, digits and inner hyphens', () => {
    for (const slug of ['a', '7', 'my-shop', 'a--b', 'x'.repeat(63)]) {
      assert.equal(readSlug(slug), slug)
    }
    const bad = ['', '-', '-a', 'a-', 'A', 'a b', 'a_b', 'é', 'a\n', 'x'.repeat(64), 'default']
    for (const slug of bad) assert.throws(() => readSlug(slug), namesSlug, slug)
  })

  it('are derived from the name where that gives a valid one', () => {
    assert.equal(slugFrom('  My  Shop 2 '), 'my-shop-2')
    for (const name of ['Default', 'Duka la Asha!', '✨', ' ', 'x'.repeat(64)]) {
      assert.throws(() => slugFrom(name), namesSlug, name)
    }
  })
})
