import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { drawPng } from '../../../simulator/models/picture.ts'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import { makeBookPdf, makePdf } from '../../support/samples/pdf.ts'

/* What is sent upstream is what is paid for: a prompt cannot hide where nobody measures it. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App

/** Draws in conversation, and stands in no list of picture prices. */
const painter = {
  ...SIMULATED_MODELS.find(({ id }) => id === 'sim/picha-mazungumzo')!,
  id: 'sim/mchoraji',
  imageUsd: undefined as never,
}

before(async () => {
  app = await startApp({ simulator: { faults: true, models: [painter] } })
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const ask = (token: string, path: string, body: object) => app.call(`POST ${path}`, { token, body })
const chat = (token: string, body: object) =>
  ask(token, '/v1/chat/completions', {
    model: 'sim/hekima',
    messages: [{ role: 'user', content: 'Habari' }],
    ...body,
  })
const message = (more: object) => ({ messages: [{ role: 'user', content: 'x', ...more }] })

/** About 70,000 tokens: half a dollar on this model, from an account with 3 cents. */
const LONG = 'x'.repeat(200_000)
const hidden: [string, object][] = [
  ['content', message({ content: LONG })],
  ['function_call', message({ role: 'assistant', function_call: { name: 'f', arguments: LONG } })],
  ['name', message({ name: LONG })],
  ['refusal', message({ role: 'assistant', refusal: LONG })],
  ['reasoning', message({ role: 'assistant', reasoning: LONG })],
  ['reasoning_details', message({ role: 'assistant', reasoning_details: [{ text: LONG }] })],
  ['an unknown field of a message', message({ notes: [{ deep: LONG }] })],
  ['the name of a field', message({ [LONG]: true })],
  ['tools', { tools: [{ type: 'function', function: { name: 'f', description: LONG } }] }],
  ['functions', { functions: [{ name: 'f', description: LONG }] }],
  ['response_format', { response_format: { type: 'json_schema', json_schema: { name: LONG } } }],
  ['prediction', { prediction: { type: 'content', content: LONG } }],
  ['an unknown field', { documents: [{ text: LONG }] }],
]
for (const [place, body] of hidden) {
  test(`402: a prompt hidden in ${place}, ten times at once, and nobody is asked`, async () => {
    const thief = await app.customer('100')
    app.models.log.clear()
    const answers = await Promise.all(Array.from({ length: 10 }, () => chat(thief.key, body)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array<number>(10).fill(402),
    )
    const asked = app.models.log.find({ route: '/chat/completions' })
    assert.deepEqual(
      asked.map((entry) => JSON.stringify(entry).slice(0, 1_000)),
      [],
    )
  })
}

test('402: a predicted answer is paid for as an answer', async () => {
  const prediction = { type: 'content', content: 'x'.repeat(9_000) }
  // 3,000 tokens are 22.5 credits as a prompt, and 90 as an answer; no text of this kind has so many
  // more that 400 do not pay for it.
  const poor = await app.customer('100')
  assert.equal((await chat(poor.key, { prediction })).status, 402)
  const rich = await app.customer('400')
  assert.equal((await chat(rich.key, { prediction })).status, 200)
})

const part = (location: string) =>
  message({ content: [{ type: 'file', file: { file_data: location } }] })
const file = (bytes: Buffer, type: string) =>
  part(`data:${type};base64,${bytes.toString('base64')}`)
const large = (bytes: Buffer, size: number) => Buffer.concat([bytes, Buffer.alloc(size)])

const files: [string, object][] = [
  ['a PDF of 10 MB that claims one page', file(large(makePdf(1), 10_000_000), 'application/pdf')],
  ['a small PDF of 500 pages', file(makePdf(500), 'application/pdf')],
  ['a PDF of one page that unpacks to a book', file(makeBookPdf(880_000), 'application/pdf')],
  ['a text that is called a film', file(Buffer.from('a'.repeat(400_000)), 'video/mp4')],
  ['a text that is called a file', file(Buffer.from('a'.repeat(400_000)), 'text/plain')],
]
for (const [what, body] of files) {
  test(`402: ${what}`, async () => {
    const thief = await app.customer('90')
    app.models.log.clear()
    assert.equal((await chat(thief.key, { ...body, model: 'sim/macho' })).status, 402)
    assert.equal(app.models.log.count(), 0)
  })
}

test('402: what a PDF unpacks to has a token for each byte where an account is near its end', async () => {
  const book = { ...file(makeBookPdf(880_000), 'application/pdf'), model: 'sim/macho' }
  // 880,000 tokens are 1,584 credits; a third of them are 528.
  const thief = await app.customer('800')
  assert.equal((await chat(thief.key, book)).status, 402)
})

test('402: a document of 15 MiB that claims one page', async () => {
  const thief = await app.customer('100')
  const data = large(makePdf(1), 15 * 1024 * 1024 - 2_000).toString('base64')
  const body = { model: 'sim/macho', prompt: 'Soma', document: { data } }
  app.models.log.clear()
  assert.equal((await ask(thief.key, '/v1/documents/analyze', body)).status, 402)
  assert.equal(app.models.log.count(), 0)
})

const reference = {
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${drawPng('x', 64, 64).toString('base64')}` },
}

test('402: pictures to go by, and words, cost what they cost for each picture drawn', async () => {
  const draw = (token: string, more: object) =>
    ask(token, '/v1/images/generations', { model: 'sim/mchoraji', prompt: 'Twiga', ...more })
  // A picture is 375.75 credits; sixteen to go by are 23 more, and 300,000 bytes 90.
  const thief = await app.customer('380')
  app.models.log.clear()
  for (const more of [
    { input_references: Array.from({ length: 16 }, () => reference) },
    { input_references: [{ type: 'text', text: 'x'.repeat(300_000) }] },
    { style_notes: 'x'.repeat(300_000) },
  ]) {
    assert.equal((await draw(thief.key, more)).status, 402)
  }
  assert.equal(app.models.log.count(), 0)
  assert.equal((await draw(thief.key, { input_references: [reference] })).status, 200)
})

test('402: fields beside the input of an embedding', async () => {
  const thief = await app.customer('20')
  const body = { model: 'sim/vekta', input: 'Habari', instruction: 'x'.repeat(4_000_000) }
  app.models.log.clear()
  assert.equal((await ask(thief.key, '/v1/embeddings', body)).status, 402)
  assert.equal(app.models.log.count(), 0)
})

test('an honest picture, recording and conversation are held for what they are', async () => {
  const asha = await app.customer('100')
  const photo = `data:image/jpeg;base64,${Buffer.alloc(3_000_000, 0xff).toString('base64')}`
  const pictures = message({ content: [{ type: 'image_url', image_url: { url: photo } }] })
  assert.equal((await chat(asha.key, { ...pictures, model: 'sim/macho' })).status, 200)
  assert.equal((await chat(asha.key, file(makePdf(20), 'application/pdf'))).status, 400)
  const pdf = { ...file(makePdf(20), 'application/pdf'), model: 'sim/macho' }
  assert.equal((await chat(asha.key, pdf)).status, 200)
})

test('what is estimated is no less than what went upstream', async () => {
  const asha = await app.customer('1000')
  const bodies = hidden.map(([, body]) =>
    JSON.parse(JSON.stringify(body).replaceAll(LONG, 'maji ')),
  )
  for (const body of bodies) {
    app.models.log.clear()
    const answer = await chat(asha.key, { ...body, model: 'sim/fault-usage-missing' })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const [sent] = app.models.log.find({ route: '/chat/completions' })
    const [row] = await app.db.query<{ prompt_tokens: bigint; estimated: boolean }>(
      `select prompt_tokens, estimated from activity_records where account_id = $1
       order by created_at desc, id desc limit 1`,
      [asha.accountId],
    )
    // The name that we give the account upstream is ours.
    const { user: _user, ...theirs } = sent!.body as Record<string, unknown>
    const bytes = Buffer.byteLength(JSON.stringify(theirs))
    assert.equal(row!.estimated, true)
    assert.ok(Number(row!.prompt_tokens) * 3 >= bytes, `${row!.prompt_tokens} for ${bytes} bytes`)
  }
})
