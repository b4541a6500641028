import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildPages } from './support/build-pages.ts'
import { BUDGET_KB, sizesOf } from './support/sizes.ts'

test('no page is too much for a slow network', async () => {
  const { firstScript, style, pages } = sizesOf(await buildPages())
  assert.ok(
    firstScript <= BUDGET_KB.firstScript,
    `the first screen has ${firstScript} kB of script`,
  )
  assert.ok(style <= BUDGET_KB.style, `${style} kB of style`)
  assert.ok(Object.keys(pages).length > 10)
  const heavy = Object.entries(pages).filter(([, kb]) => kb > BUDGET_KB.page)
  assert.deepEqual(heavy, [], `more than ${BUDGET_KB.page} kB`)
})
