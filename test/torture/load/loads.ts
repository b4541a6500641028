import { FILM } from '../../../simulator/models/film.ts'
import { drawPng } from '../../../simulator/models/picture.ts'
import { wav } from '../../../simulator/models/sound.ts'
import { makePdf } from '../../support/samples/pdf.ts'
import { deletionLoad, keyLoad, loginLoad, readLoad } from './accounts.ts'
import { paidLoad } from './paid.ts'
import type { Load } from './player.ts'
import { streamLoad } from './streams.ts'
import { topUpLoad } from './top-ups.ts'
import { videoLoad } from './videos.ts'

const chat = (model: string, weight: number, keyed = true): Load =>
  paidLoad({
    name: weight >= 10 ? 'chat' : `chat ${model}`,
    weight,
    endpoint: 'POST /v1/chat/completions',
    keyed,
    body: (mark) => ({ json: { model, messages: [{ role: 'user', content: `Habari ${mark}` }] } }),
    isValid: (answer) => answer.text.includes('"choices"'),
  })

const SOUND = wav('Habari za asubuhi').toString('base64')

/** The three routes of analysis: what is sent, and the field it goes into. */
const analysis = (name: string, endpoint: string, field: string, bytes: Buffer): Load => {
  const data = bytes.toString('base64')
  return paidLoad({
    name,
    weight: 0.7,
    endpoint,
    keyed: true,
    body: (mark) => ({
      json: { model: 'sim/macho', prompt: `Nini hii? ${mark}`, [field]: { data } },
    }),
  })
}

/** All kinds of traffic, at once. */
export const LOADS: readonly Load[] = [
  chat('sim/fixed', 30),
  chat('sim/hekima-mini', 10),
  chat('sim/hekima-mini:free', 2),
  chat('sim/fault-status-500', 0.3, false),
  chat('sim/fault-bad-json', 0.3, false),
  chat('sim/fault-usage-negative', 0.5),
  chat('sim/fault-usage-huge', 0.5),
  paidLoad({
    name: 'embeddings',
    weight: 30,
    endpoint: 'POST /v1/embeddings',
    keyed: true,
    body: (mark) => ({ json: { model: 'sim/fixed-vector', input: mark, dimensions: 4 } }),
    isValid: (answer) => answer.text.includes('"embedding"'),
  }),
  paidLoad({
    name: 'speech',
    weight: 1,
    endpoint: 'POST /v1/audio/speech',
    keyed: false,
    body: (mark) => ({ json: { model: 'sim/sema', voice: 'asha', input: `Habari ${mark}` } }),
  }),
  paidLoad({
    name: 'transcription',
    weight: 1,
    endpoint: 'POST /v1/audio/transcriptions',
    keyed: false,
    marked: false,
    body: () => ({ json: { model: 'sim/sikia', input_audio: { data: SOUND, format: 'wav' } } }),
  }),
  paidLoad({
    name: 'voice',
    weight: 1,
    endpoint: 'POST /v1/voice/responses',
    keyed: false,
    marked: false,
    stages: 3,
    body: () => ({
      json: {
        audio_data: SOUND,
        audio_format: 'wav',
        stt_model: 'sim/sikia',
        text_model: 'sim/hekima-mini',
        tts_model: 'sim/sema',
        voice: 'asha',
        include_audio: true,
      },
    }),
  }),
  paidLoad({
    name: 'images',
    weight: 0.5,
    endpoint: 'POST /v1/images/generations',
    keyed: true,
    body: (mark) => ({ json: { model: 'sim/picha', prompt: `Kiboko ${mark}`, size: '64x64' } }),
  }),
  analysis('vision', 'POST /v1/vision/analyze', 'image', drawPng('kiboko', 8, 8)),
  analysis('document', 'POST /v1/documents/analyze', 'document', makePdf(2)),
  analysis('film', 'POST /v1/video/analyze', 'video', FILM),
  videoLoad,
  streamLoad(['sim/fixed', 'sim/hekima-mini', 'sim/fault-no-done', 'sim/fault-reset']),
  topUpLoad,
  loginLoad,
  readLoad,
  keyLoad,
  deletionLoad,
]
