import { chatOf, denseText } from './free-work.ts'
import { oggRecording, packedPdf, webmRecording } from './hostile-files.ts'
import { answered, askAs, inParallel, tagOf, type Strategy, type Thief } from './thief.ts'

/** Made once: so much that one call costs more than the allowance. */
const PACKED_PDF = packedPdf('maji', 100_000).toString('base64')
const DENSE_PDF = packedPdf('0918273645', 10_000).toString('base64')
const CHAT = 'POST /v1/chat/completions'

const packedPdfs: Strategy = {
  name: 'PDFs that unpack to much more',
  weight: 3,
  play: (thief) => askAboutPdf(thief, packedPdfs.name, PACKED_PDF),
}

const densePdfs: Strategy = {
  name: 'dense text in PDFs',
  weight: 3,
  play: (thief) => askAboutPdf(thief, densePdfs.name, DENSE_PDF),
}

async function askAboutPdf(thief: Thief, name: string, data: string): Promise<boolean> {
  const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` }
  const model = thief.random.pick(['mita/hekaya', 'mita/mjibu', 'mita/nyota'])
  const source = { type: 'base64', media_type: 'application/pdf', data }
  const words = tagOf(thief, name)
  const content = [
    { type: 'text', text: words },
    { type: 'document', source },
  ]
  const calls = [
    { endpoint: CHAT, body: chatWith(thief, name, model, { type: 'file', file }) },
    {
      endpoint: 'POST /v1/messages',
      body: { model, max_tokens: 10, messages: [{ role: 'user', content }] },
    },
    {
      endpoint: 'POST /v1/documents/analyze',
      body: { model, prompt: words, document: { data }, max_tokens: 10 },
    },
  ]
  return answered(await inParallel(4, (nth) => askAs(thief, calls[nth % calls.length]!)))
}

const denseFiles: Strategy = {
  name: 'dense text in files',
  weight: 3,
  async play(thief) {
    const text = denseText(thief, thief.random.between(5_000, 60_000))
    const data = Buffer.from(text).toString('base64')
    const type = thief.random.pick(['text/plain', 'text/csv', 'application/json'])
    const file = { filename: 'a.txt', file_data: `data:${type};base64,${data}` }
    const model = thief.random.pick(['mita/mjibu', 'mita/nyota'])
    const body = chatWith(thief, this.name, model, { type: 'file', file })
    return answered(await inParallel(8, () => askAs(thief, { endpoint: CHAT, body })))
  },
}

const largePictures: Strategy = {
  name: 'large pictures behind links',
  weight: 2,
  async play(thief) {
    const url = 'https://example.com/picha-kubwa.png'
    const parts = Array.from({ length: 8 }, () => ({ type: 'image_url', image_url: { url } }))
    const body = chatWith(thief, this.name, 'mita/mjibu', ...parts)
    return answered(await inParallel(6, () => askAs(thief, { endpoint: CHAT, body })))
  },
}

const RECORDED_S = 2_000

const shortRecordings: Strategy = {
  name: 'recordings that claim a moment',
  weight: 3,
  async play(thief) {
    const bytes = recordingOf(thief, tagOf(thief, this.name))
    const model = thief.random.pick(['mita/sikia', 'mita/sikia-kimya'])
    const form = await formOf({ model }, bytes)
    const call = { endpoint: 'POST /v1/audio/transcriptions', ...form }
    return answered(await inParallel(3, () => askAs(thief, call)))
  },
}

const packedSound: Strategy = {
  name: 'packed sound in chats',
  weight: 2,
  async play(thief) {
    const format = thief.random.pick(['webm', 'ogg'])
    const make = format === 'webm' ? webmRecording : oggRecording
    const data = make(RECORDED_S, 'sauti').toString('base64')
    const part = { type: 'input_audio', input_audio: { data, format } }
    const body = chatWith(thief, this.name, 'mita/mjibu', part)
    return answered(await inParallel(4, () => askAs(thief, { endpoint: CHAT, body })))
  },
}

export const SIZES = [
  packedPdfs,
  densePdfs,
  denseFiles,
  largePictures,
  shortRecordings,
  packedSound,
]

export function recordingOf({ random }: Thief, words: string): Buffer {
  const make = random.pick([webmRecording, oggRecording])
  return make(RECORDED_S, words)
}

/** As browsers send files. */
async function formOf(fields: Record<string, string>, bytes: Buffer) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([new Uint8Array(bytes)]), 'sauti')
  const written = new Response(form)
  const type = written.headers.get('content-type')!
  return { raw: Buffer.from(await written.arrayBuffer()), headers: { 'content-type': type } }
}

function chatWith(thief: Thief, strategy: string, model: string, ...parts: object[]): object {
  const messages = [{ role: 'user', content: parts }]
  return chatOf(thief, strategy, { model, messages, max_tokens: 10 })
}
