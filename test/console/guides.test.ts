import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { GUIDES } from '../../console/src/pages/guides/guides.ts'
import { mp3 } from '../../simulator/models/sound.ts'
import { makePdf } from '../support/samples/pdf.ts'
import { checkPage } from './support/check-page.ts'
import { goTo, settle } from './support/settle.ts'
import { startRig, type Rig } from './support/rig.ts'
import { VIEWS, viewsInTurn } from './support/views.ts'
import { runInShell } from './support/playground.ts'

let rig: Rig
let folder: string
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
  folder = await mkdtemp(join(tmpdir(), 'mlango-guides-'))
  await writeFile(join(folder, 'swali.mp3'), mp3('Salio langu ni kiasi gani?'))
  await writeFile(join(folder, 'hati.pdf'), makePdf(1))
})
after(async () => {
  await rm(folder, { recursive: true })
  await rig.close()
})

test('every guide, in both languages, sizes and themes', async () => {
  for (const view of VIEWS) {
    const tab = await rig.open('/guides', view)
    for (const [at, { name, title }] of GUIDES.entries()) {
      if (!viewsInTurn(at).includes(view)) continue
      await goTo(tab, `/guides/${name}`)
      await tab.page.getByRole('heading', { level: 1, name: title[view.language] }).waitFor()
      await settle(tab)
      await checkPage(tab, `guide-${name}`)
    }
    await tab.context.close()
  }
})

test('guides can be read without a script', async () => {
  for (const { name, title } of GUIDES) {
    const { page, context } = await rig.open(`/guides/${name}`, { script: false, language: 'en' })
    assert.equal(await page.locator('h1').innerText(), title.en)
    assert.ok((await page.locator('article').innerText()).length > 500, name)
    await context.close()
  }
})

const pause = (ms: number) => sleep(ms, true)

/** The commands of a guide, as a reader copies them. */
async function commandsOf(name: string): Promise<string[]> {
  const { page, context } = await rig.open(`/guides/${name}`, { language: 'en' })
  let texts: string[]
  do texts = await page.locator('[role=tabpanel]').allTextContents()
  // Until the page knows its address and the catalog.
  while (/MODEL|https:\/\/…/.test(texts.join()) && (await pause(100)))
  await context.close()
  return texts.filter((text) => /^(curl|printf|JOB=)/.test(text))
}

test('every command of the guides does what the guide says', async () => {
  const { key } = await rig.app.customer('50000')
  const run = async (command: string) => runInShell(command, key, folder)
  const plain = ['first-call', 'voice', 'images-documents', 'retries', 'charges'] as const
  let count = 0
  for (const name of plain) {
    for (const command of await commandsOf(name)) {
      const output = await run(command)
      if (command.includes('/audio/speech')) await run('test -s jibu.mp3')
      else assert.equal(JSON.parse(output).error, undefined, `${command}\n${output}`)
      count++
    }
  }
  assert.ok(count >= 9, `${count} commands`)
  const [stream] = await commandsOf('streaming')
  assert.match(await run(stream!), /data: \[DONE\]/)
})

test('the commands of the video guide order, wait and download', async () => {
  const { key } = await rig.app.customer('50000')
  const [order, poll, download] = await commandsOf('video')
  const job = JSON.parse(await runInShell(order!, key, folder)).data.job_id as string
  const asked = poll!.replace(/JOB=.*/, `JOB=${job}`)
  for (let tries = 0; tries < 300; tries++) {
    const { data } = JSON.parse(await runInShell(asked, key, folder))
    if (data.status === 'completed') break
    await pause(200)
  }
  await runInShell(`JOB=${job}\n${download!} && test -s video.mp4`, key, folder)
})
