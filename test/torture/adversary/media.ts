import { wav } from '../../../simulator/models/sound.ts'
import { makePdf } from '../../support/samples/pdf.ts'
import type { ClientAnswer } from '../load/client.ts'
import { chatOf, reached } from './free-work.ts'
import { PICTURE } from './models.ts'
import { askAs, inParallel, tagOf, type Strategy, type Thief } from './thief.ts'

/** A file of a few hundred kilobytes that says it is one page. */
const PADDED_PDF = Buffer.concat([makePdf(1), Buffer.alloc(600_000, '% siri\n')]).toString('base64')

const onePagePdfs: Strategy = {
  name: 'PDFs that claim one page',
  weight: 2,
  async play(thief) {
    const uri = `data:application/pdf;base64,${PADDED_PDF}`
    const part = { type: 'file', file: { filename: 'a.pdf', file_data: uri } }
    const messages = [{ role: 'user', content: [part] }]
    const chat = chatOf(thief, this.name, { messages, max_tokens: 1 })
    const analysis = {
      model: 'mlafi/wastani',
      prompt: tagOf(thief, this.name),
      document: { data: PADDED_PDF },
      max_tokens: 1,
    }
    const answers = await inParallel(4, (nth) =>
      nth % 2 === 0
        ? askAs(thief, { endpoint: 'POST /v1/chat/completions', body: chat })
        : askAs(thief, { endpoint: 'POST /v1/documents/analyze', body: analysis }),
    )
    return reached(answers)
  },
}

/** The routes that are paid by the piece, many at once on one balance. */
const otherRoutes: Strategy = {
  name: 'other paid routes',
  weight: 2,
  async play(thief) {
    const tag = tagOf(thief, this.name)
    const sound = wav(`${tag} ${'habari '.repeat(40)}`).toString('base64')
    const order = thief.random.pick<{ endpoint: string; body: object }>([
      {
        endpoint: 'POST /v1/audio/speech',
        body: { model: 'sim/sema', voice: 'asha', input: `${tag} ${'maji '.repeat(600)}` },
      },
      {
        endpoint: 'POST /v1/audio/transcriptions',
        body: { model: 'sim/sikia', input_audio: { data: sound, format: 'wav' } },
      },
      {
        endpoint: 'POST /v1/voice/responses',
        body: {
          audio_data: sound,
          audio_format: 'wav',
          stt_model: 'sim/sikia',
          text_model: 'sim/hekima-mini',
          tts_model: 'sim/sema',
          voice: 'asha',
        },
      },
      {
        endpoint: 'POST /v1/videos',
        body: { model: 'sim/filamu-senti', prompt: tag, duration: 5, resolution: '480p' },
      },
    ])
    const answers = await inParallel(12, () => askAs(thief, order))
    return reached(answers) || answers.some(({ status }) => status === 202)
  },
}

/** Two fields that say different things: one would be priced, the other one made. */
const contradictions: Strategy = {
  name: 'contradictory films',
  weight: 1,
  async play(thief) {
    const film = { model: 'sim/filamu', prompt: tagOf(thief, this.name) }
    const { status } = await askAs(thief, {
      endpoint: 'POST /v1/videos',
      body: thief.random.pick<object>([
        { ...film, duration: 4, seconds: 60 },
        { ...film, duration: 4, resolution: '720p', size: '3840x2160' },
      ]),
    })
    if (status === 202) thief.den.violation('a film that contradicts itself was accepted')
    return status === 400
  },
}

/** One key, many times at once and again: one answer, one charge. */
const keyedRetries: Strategy = {
  name: 'keyed answers retried',
  weight: 2,
  play: (thief) =>
    retryOneKey(thief, keyedRetries.name, 6, {
      endpoint: 'POST /v1/chat/completions',
      body: chatOf(thief, keyedRetries.name, { max_tokens: 50 }),
    }),
}

/** The same with an answer of 17 MiB. */
const largeKeyedAnswers: Strategy = {
  name: 'large keyed answers retried',
  weight: 0.2,
  play: (thief) =>
    retryOneKey(thief, largeKeyedAnswers.name, 1, {
      endpoint: 'POST /v1/images/generations',
      body: { model: PICTURE.id, prompt: tagOf(thief, largeKeyedAnswers.name) },
    }),
}

export const MEDIA_AND_KEYS = [
  onePagePdfs,
  otherRoutes,
  contradictions,
  keyedRetries,
  largeKeyedAnswers,
]

async function retryOneKey(
  thief: Thief,
  name: string,
  copies: number,
  call: { endpoint: string; body: object },
): Promise<boolean> {
  const key = `${name.slice(0, 5)}-${thief.nth}-${thief.random.between(1, 1e9)}`
  const once = () => askAs(thief, { ...call, headers: { 'idempotency-key': key } })
  const answers = await inParallel(copies, once)
  answers.push(await once(), await once())
  const good = answers.filter(({ status }) => status === 200)
  if (new Set(good.map(requestId)).size > 1) thief.den.violation(`${name}: one key ran twice`)
  return reached(answers)
}

function requestId({ headers }: ClientAnswer): string | undefined {
  return headers['x-request-id']
}
