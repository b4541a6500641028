import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { finish, piece, scriptedModel, usage } from '../support/models/scripted-model.ts'
import { checkPage } from './support/check-page.ts'
import { openSignedIn } from './support/people.ts'
import { startRig, type Rig } from './support/rig.ts'

let rig: Rig
let model: Awaited<ReturnType<typeof scriptedModel>>
before(async () => {
  model = await scriptedModel()
  rig = await startRig({ upstream: model.entry('openai') })
})
after(async () => {
  await rig.close()
  await model.close()
})

const HOSTILE = [
  '<script>window.ran = 1</script>',
  '<img src=x onerror="window.ran = 2"> <svg onload="window.ran = 3">',
  '[bonyeza](javascript:window.ran=4) [hapa](data:text/html,<script>window.ran=5</script>)',
  '[jina](JaVaScRiPt:window.ran=6) [kweli](https://example.com/salama)',
  `|${' safu |'.repeat(80)}\n|${'---|'.repeat(80)}\n|${' neno |'.repeat(80)}`,
  'x'.repeat(20_000),
  `https://example.com/${'a'.repeat(900)}`,
  `\`\`\`html\n<script>window.ran = 7</script>${'y'.repeat(5_000)}\n\`\`\``,
  '> '.repeat(2_000),
  '**'.repeat(5_000),
  '['.repeat(5_000),
].join('\n\n')

test('what a hostile model answers runs nothing and breaks no layout', async () => {
  for (const size of ['phone', 'desktop'] as const) {
    const tab = await openSignedIn(rig, '/app/try/chat', { size })
    const { page } = tab
    await page.getByRole('textbox', { name: 'Ujumbe wako' }).fill('Habari?')
    await page.getByRole('button', { name: 'Tuma' }).click()
    const stream = await model.next()
    for (let at = 0; at < HOSTILE.length; at += 997) stream.send(piece(HOSTILE.slice(at, at + 997)))
    stream.send(finish(), usage(2))
    stream.done()
    await page.locator('[data-charge]').waitFor()
    const link = page.getByRole('link', { name: 'kweli' })
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow')
    assert.equal(await page.evaluate('window.ran'), undefined)
    assert.equal(await page.locator('a[href^="javascript" i], a[href^="data"]').count(), 0)
    assert.equal(await page.locator('ol script, ol img, ol svg[onload]').count(), 0)
    await checkPage(tab, 'try-hostile')
    await tab.context.close()
  }
})
