import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { pdfPages } from '../../src/gateway/pdf-pages.ts'
import { makePdf, makePdfBomb } from '../support/pdf.ts'

/** Under load the thread may start too late once; a second try finds it warm. */
async function pagesOf(bytes: Buffer): Promise<number | undefined> {
  for (let tries = 0; tries < 5; tries++) {
    const pages = await pdfPages(bytes)
    if (pages !== undefined) return pages
  }
  return undefined
}

test('pages of good files, several at once', async () => {
  assert.equal(await pagesOf(makePdf(3)), 3)
  const all = await Promise.all([pdfPages(makePdf(1)), pdfPages(makePdf(700))])
  assert.deepEqual(all, [1, 700])
})

test('what is no PDF, or breaks off, has no pages; the next file is read all the same', async () => {
  const cut = makePdf(9).subarray(0, 60)
  for (const bytes of [Buffer.from('%PDF-1.7 garbage'), cut, Buffer.from('%PDF-'.repeat(9_000))]) {
    assert.equal(await pdfPages(bytes), undefined)
  }
  assert.equal(await pagesOf(makePdf(2)), 2)
})

test('a bomb neither holds the loop nor fills the memory', async () => {
  const bomb = makePdfBomb(400)
  assert.ok(bomb.length < 20_000, 'a small file')
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 10)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const startedMs = performance.now()
  assert.equal(await pdfPages(bomb), undefined)
  const tookMs = performance.now() - startedMs
  delay.disable()
  clearInterval(watch)
  assert.ok(tookMs < 5_000, `${tookMs} ms`)
  assert.ok(delay.max / 1e6 < 1_000, `the loop stood for ${delay.max / 1e6} ms`)
  assert.ok(most - before < 700 * 1024 * 1024, `${(most - before) >> 20} MiB`)
  assert.equal(await pagesOf(makePdf(4)), 4)
})

test('a crowd is not kept waiting: most get no answer at once', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => pdfPages(makePdf(5))))
  assert.ok(answers.filter((one) => one === undefined).length >= 32)
  assert.ok(answers.includes(5))
})
