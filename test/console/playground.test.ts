import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { FILM } from '../../simulator/models/film.ts'
import { drawPng } from '../../simulator/models/picture.ts'
import { wav } from '../../simulator/models/sound.ts'
import { assertAudit } from '../support/money/audit.ts'
import { setBalance } from '../support/customer.ts'
import { makePdf } from '../support/samples/pdf.ts'
import { checkPage } from './support/check-page.ts'
import { openSignedIn, signIn, type Person } from './support/people.ts'
import { startRig, type Rig } from './support/rig.ts'
import { assertCharged, copySample, runInShell, spent } from './support/playground.ts'
import { eventually } from '../support/eventually.ts'

let rig: Rig
let folder: string
before(async () => {
  rig = await startRig({ simulator: { faults: false } })
  folder = await mkdtemp(join(tmpdir(), 'mlango-trials-'))
})
after(async () => {
  await assertAudit(rig.app.db)
  await rm(folder, { recursive: true })
  await rig.close()
})

const keyOf = async ({ token }: Person) => {
  const made = await rig.app.call('POST /v1/api-keys', { token, body: { name: 'curl' } })
  return made.body.data.key as string
}

const VIEWS = [
  { size: 'phone', language: 'sw', theme: 'light' },
  { size: 'desktop', language: 'en', theme: 'dark' },
] as const

test('a chat streams, is charged as the ledger says, and is the copied curl', async () => {
  for (const view of VIEWS) {
    const tab = await openSignedIn(rig, '/app/try/chat?model=sim/hekima', view)
    const { page } = tab
    const message = page.getByRole('textbox', { name: /Ujumbe wako|Your message/ })
    await message.waitFor()
    await checkPage(tab, 'try-chat-empty')
    await message.fill("Habari? Naitwa Asha; ni 100% kweli, 'sivyo'? $HOME `x`")
    await page.getByText(/≈/).waitFor()
    await assertCharged(rig, tab, async () => {
      await page.getByRole('button', { name: /^(Tuma|Send)$/ }).click()
      await page.getByText(/karibu tena|ask me anything/).waitFor()
    })
    await page.reload()
    await page.getByText(/karibu tena|ask me anything/).waitFor()
    const curl = await copySample(tab, 'curl')
    const answer = await runInShell(curl, await keyOf(tab.person), folder)
    assert.match(answer, /data: \[DONE\]/)
    const [asked, copied] = rig.app.models.log.find({ route: '/chat/completions' }).slice(-2)
    assert.deepEqual(sentBy(copied!), sentBy(asked!))
    await checkPage(tab, 'try-chat')
    await tab.context.close()
  }
})

test('leaving and stopping an answer are free', async () => {
  const tab = await openSignedIn(rig, '/app/try/chat?model=sim/hekima', { size: 'phone' })
  const { page, person } = tab
  const message = page.getByRole('textbox', { name: 'Ujumbe wako' })
  const begin = async () => {
    rig.app.models.fail({ fault: 'endless-50', route: '/chat/completions' })
    await message.fill('Niambie hadithi ndefu')
    await page.getByRole('button', { name: 'Tuma' }).click()
    await page.getByText('neno neno').waitFor()
  }
  await begin()
  await page.getByRole('button', { name: 'Simamisha' }).click()
  await page.getByText('Umesimamisha.').waitFor()
  await page.getByText('Hukutozwa.').waitFor()
  await checkPage(tab, 'try-chat-stopped')
  // Without the first answer on the page, the words that come are those of the second.
  await page.getByRole('button', { name: 'Anza upya' }).click()
  await page.getByText('neno neno').waitFor({ state: 'detached' })
  await begin()
  await page.getByRole('link', { name: 'Picha' }).click()
  await page.getByRole('button', { name: 'Chora' }).waitFor()
  await eventually('both calls are cancelled', async () => (await cancelled(person)) === 2)
  assert.equal(await spent(rig, person), 0)
  await tab.context.close()
})

test('an answer that breaks off costs nothing, and the page says so', async () => {
  const tab = await openSignedIn(rig, '/app/try/chat?model=sim/hekima', { language: 'en' })
  const { page, person } = tab
  rig.app.models.fail({ fault: 'reset', route: '/chat/completions' })
  await page.getByRole('textbox', { name: 'Your message' }).fill('Hello, tell me a story')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('The answer broke off. You were not charged.').waitFor()
  assert.equal(await spent(rig, person), 0)
  await tab.context.close()
})

test('without credits: what is missing, and after a top-up the same text', async () => {
  const view = { size: 'phone', credits: '0' } as const
  const tab = await openSignedIn(rig, '/app/try/image', view)
  const { page, person } = tab
  await page.getByRole('textbox').first().fill('Twiga anakunywa maji')
  await page.getByRole('button', { name: 'Chora' }).click()
  await page.getByText('Salio halitoshi').waitFor()
  await page.getByText(/Ombi hili linahitaji krediti [\d.,]+; una 0/).waitFor()
  await page.getByText(/Pungufu ni takriban krediti/).waitFor()
  await checkPage(tab, 'try-402')
  await page.getByRole('link', { name: 'Ongeza salio' }).click()
  await page.waitForURL(/\/app\/billing\?amount=1000$/)
  await setBalance(rig.app.db, person.accountId, '1000')
  await page.getByRole('link', { name: 'Jaribu' }).click()
  await page.waitForURL(/\/app\/try\/image$/)
  assert.equal(await page.getByRole('textbox').first().inputValue(), 'Twiga anakunywa maji')
  await assertCharged(rig, tab, async () => {
    await page.getByRole('button', { name: 'Chora' }).click()
    await page.getByRole('img', { name: 'Twiga anakunywa maji' }).waitFor()
  })
  await tab.context.close()
})

test('one speaks, and hears the answer, in one call', async () => {
  for (const view of VIEWS) {
    const tab = await openSignedIn(rig, '/app/try/voice', { ...view, credits: '1000' })
    const { page } = tab
    await page.getByRole('button', { name: /^(Rekodi|Record)$/ }).waitFor()
    await checkPage(tab, 'try-voice')
    await page.getByRole('button', { name: /^(Rekodi|Record)$/ }).click()
    await page.getByText(/sekunde 1|1 seconds/).waitFor()
    await page.getByRole('button', { name: /Maliza kurekodi|Finish recording/ }).click()
    await page.locator('audio').waitFor()
    await assertCharged(rig, tab, async () => {
      await page.getByRole('button', { name: /^(Uliza|Ask)$/ }).click()
      await page.getByText(/^(Ulisema|You said)$/).waitFor()
      assert.equal(await page.locator('audio').count(), 2)
    })
    await checkPage(tab, 'try-voice-answer')
    const curl = await copySample(tab, 'curl')
    await writeFile(join(folder, 'sauti.webm'), wav('Habari, naitwa Neema Mushi.'))
    const asWav = curl.replace('"audio_format": "webm"', '"audio_format": "wav"')
    const answer = JSON.parse(await runInShell(asWav, await keyOf(tab.person), folder))
    assert.equal(answer.transcript, 'Habari, naitwa Neema Mushi.', JSON.stringify(answer))
    assert.ok(answer.audio_base64.length > 100)
    await tab.context.close()
  }
})

test('speech to text and text to speech', async () => {
  const tab = await openSignedIn(rig, '/app/try/voice', { credits: '1000' })
  const { page, person } = tab
  const sound = { name: 'n.wav', mimeType: 'audio/wav', buffer: wav('Nataka kujua salio langu.') }
  await page.getByRole('button', { name: 'Sauti kuwa maandishi' }).click()
  await page.locator('input[type=file]').setInputFiles(sound)
  await assertCharged(rig, tab, async () => {
    await page.getByRole('button', { name: 'Andika', exact: true }).click()
    await page.getByText('Nataka kujua salio langu.').waitFor()
  })
  await writeFile(join(folder, 'sauti.wav'), sound.buffer)
  const key = await keyOf(person)
  const heard = await runInShell(await copySample(tab, 'curl'), key, folder)
  assert.equal(JSON.parse(heard).text, 'Nataka kujua salio langu.')
  await page.getByRole('button', { name: 'Maandishi kuwa sauti' }).click()
  await page.getByRole('textbox', { name: 'Maneno ya kusemwa' }).fill('Karibu sana')
  await assertCharged(rig, tab, async () => {
    await page.getByRole('button', { name: 'Sema' }).click()
    await page.locator('section audio').waitFor()
  })
  await checkPage(tab, 'try-speech')
  await runInShell(`${await copySample(tab, 'curl')} && test -s jibu.mp3`, key, folder)
  await tab.context.close()
})

test('pictures, in both looks', async () => {
  for (const view of VIEWS) {
    const tab = await openSignedIn(rig, '/app/try/image', { ...view, credits: '2000' })
    const { page, person } = tab
    await page.getByRole('textbox').first().fill('Soko la Kariakoo asubuhi')
    await assertCharged(rig, tab, async () => {
      await page.getByRole('button', { name: /^(Chora|Draw)$/ }).click()
      await page.getByRole('img', { name: 'Soko la Kariakoo asubuhi' }).waitFor()
    })
    await checkPage(tab, 'try-image')
    const answer = await runInShell(await copySample(tab, 'curl'), await keyOf(person), folder)
    assert.equal(JSON.parse(answer).data.length, 1)
    await tab.context.close()
  }
})

test('a picture whose answer is lost is asked for again and paid for once', async () => {
  const tab = await openSignedIn(rig, '/app/try/image', { credits: '2000' })
  const { page, person } = tab
  await page.getByRole('textbox').first().fill('Twiga aliyepotea')
  let lost = 0
  await page.route('**/v1/images/generations', async (route) => {
    if (lost++ > 0) return route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  await page.getByRole('button', { name: 'Chora' }).click()
  await page.getByRole('button', { name: 'Jaribu tena' }).waitFor()
  const once = await spent(rig, person)
  assert.ok(once > 0)
  // Also by whoever comes back later.
  await page.reload()
  await page.getByRole('button', { name: 'Chora' }).click()
  await page.getByRole('img', { name: 'Twiga aliyepotea' }).waitFor()
  assert.equal(await spent(rig, person), once)
  await page.locator('[data-charge]').waitFor()
  await tab.context.close()
})

test('documents, pictures and videos are read', async () => {
  const files = [
    { name: "Mkataba wa 'nyumba'.pdf", mimeType: 'application/pdf', buffer: makePdf(2) },
    { name: 'picha.png', mimeType: 'image/png', buffer: drawPng('soko', 64, 64) },
    { name: 'filamu.mp4', mimeType: 'video/mp4', buffer: FILM },
  ]
  const tab = await openSignedIn(rig, '/app/try/document', { size: 'desktop' })
  const { page } = tab
  const key = await keyOf(tab.person)
  for (const file of files) {
    await page.locator('input[type=file]').setInputFiles(file)
    await page
      .getByRole('textbox')
      .first()
      .fill(`Eleza faili ${file.name.split('.').at(-1)}`)
    await assertCharged(rig, tab, async () => {
      await page.getByRole('button', { name: 'Soma', exact: true }).click()
      await page
        .getByRole('region', { name: 'Matokeo' })
        .getByText(`faili ${file.name.split('.').at(-1)}`)
        .waitFor()
    })
    await checkPage(tab, `try-file-${file.mimeType.split('/')[0]}`)
    const curl = await copySample(tab, 'curl')
    const name = /file=@"([^"]+)"/.exec(curl)![1]!
    await writeFile(join(folder, name), file.buffer)
    assert.match(JSON.parse(await runInShell(curl, key, folder)).data.object, /analysis$/)
    await page.getByRole('button', { name: 'Ondoa faili' }).click()
  }
  await checkPage(tab, 'try-document')
  await tab.context.close()
})

test('a video is ordered, made, charged and can be watched', async () => {
  for (const view of VIEWS) {
    const tab = await openSignedIn(rig, '/app/try/video', { ...view, credits: '9000' })
    const { page, person } = tab
    await page.getByRole('textbox').first().fill('Jua linachomoza')
    await page.getByRole('button', { name: /^(Tengeneza|Make it)$/ }).click()
    await assertCharged(rig, tab, async () => {
      await page.locator('video').waitFor()
    })
    await checkPage(tab, 'try-video')
    const answer = await runInShell(await copySample(tab, 'curl'), await keyOf(person), folder)
    assert.equal(JSON.parse(answer).data.status, 'pending')
    await tab.context.close()
  }
})

test('embeddings compare sentences', async () => {
  const tab = await openSignedIn(rig, '/app/try/embeddings', { language: 'en' })
  const { page, person } = tab
  await page.getByRole('textbox').first().fill('Bei ya mahindi\nBei ya mahindi\nMvua kesho')
  await assertCharged(rig, tab, async () => {
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('3 vectors of 384 numbers each.').waitFor()
  })
  await checkPage(tab, 'try-embeddings')
  const answer = await runInShell(await copySample(tab, 'curl'), await keyOf(person), folder)
  assert.equal(JSON.parse(answer).data.length, 3)
  await tab.context.close()
})

test('a conversation goes with its session, however that ends, and no other person sees it', async () => {
  const tab = await openSignedIn(rig, '/app/try/chat', { size: 'desktop' })
  const { page, context } = tab
  const stored = () => page.evaluate('JSON.stringify([localStorage, sessionStorage])').then(String)
  const write = async () => {
    await page.getByRole('textbox', { name: 'Ujumbe wako' }).fill('siri yangu')
    assert.match(await stored(), /siri yangu/)
  }
  /** Another signs in elsewhere, and this browser gets that cookie. */
  const becomes = async (email: string) => {
    const kept = await signIn(rig.url, email)
    assert.ok(typeof kept === 'object')
    await context.addCookies(kept.cookies)
  }
  await write()
  await page.getByRole('button', { name: 'Toka' }).click()
  await page.waitForURL(/\/login/)
  assert.doesNotMatch(await stored(), /siri yangu/)

  // The session was ended elsewhere: the page learns it as soon as it is opened, whichever page.
  await becomes(tab.person.email)
  await page.evaluate(`localStorage.setItem('mlango_signed_in', '1')`)
  await page.goto(`${rig.url}/app/try/chat`)
  await write()
  const { token } = tab.person
  await rig.app.call('POST /v1/auth/logout', { token, body: { all: true } })
  await page.goto(`${rig.url}/`)
  await eventually('nothing is left', async () => !/siri yangu/.test(await stored()))

  // Somebody else has taken the place of this session, without its end.
  await becomes(tab.person.email)
  await page.evaluate(`localStorage.setItem('mlango_signed_in', '1')`)
  await page.goto(`${rig.url}/app/try/chat`)
  await write()
  const other = await rig.app.signUp()
  await becomes(other.email)
  await page.reload()
  await page.getByRole('textbox', { name: 'Ujumbe wako' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Ujumbe wako' }).inputValue(), '')
  assert.doesNotMatch(await stored(), /siri yangu/)
  await context.close()
})

/** Without the limit that the gateway adds by what the account has left. */
function sentBy({ body }: { body: unknown }) {
  const { max_tokens: _, ...sent } = body as Record<string, unknown>
  return sent
}

async function cancelled({ token }: Person): Promise<number> {
  const { body } = await rig.app.call('GET /v1/activity?status=cancelled', { token })
  return body.data.length
}
