import { paidLoad } from '../load/paid.ts'
import type { Load } from '../load/player.ts'
import { webmRecording } from './hostile-files.ts'

/** What customers send to upstreams of every format, in every dialect; each has a price to be right. */
const chat = (model: string): Load =>
  paidLoad({
    name: `chat ${model}`,
    weight: 3,
    endpoint: 'POST /v1/chat/completions',
    keyed: true,
    body: (mark) => ({
      json: { model, messages: [{ role: 'user', content: `Habari ${mark}` }], max_tokens: 40 },
    }),
    isValid: (answer) => answer.text.includes('"choices"'),
  })

const message = (model: string): Load =>
  paidLoad({
    name: `messages ${model}`,
    weight: 3,
    endpoint: 'POST /v1/messages',
    keyed: false,
    body: (mark) => ({
      json: { model, messages: [{ role: 'user', content: `Habari ${mark}` }], max_tokens: 40 },
    }),
    isValid: (answer) => answer.text.includes('"stop_reason"'),
  })

const SPOKEN_S = 3

export const METERED_LOADS: readonly Load[] = [
  chat('mita/mjibu'),
  chat('mita/nyota'),
  chat('mita/hekaya'),
  message('mita/mjibu'),
  message('mita/hekaya'),
  message('mita/hatua'),
  paidLoad({
    name: 'responses mita/mjibu',
    weight: 3,
    endpoint: 'POST /v1/responses',
    keyed: false,
    body: (mark) => ({
      json: { model: 'mita/mjibu', input: `Habari ${mark}`, max_output_tokens: 40, store: false },
    }),
    isValid: (answer) => answer.text.includes('"output"'),
  }),
  paidLoad({
    name: 'embeddings mita/vekta',
    weight: 2,
    endpoint: 'POST /v1/embeddings',
    keyed: true,
    body: (mark) => ({ json: { model: 'mita/vekta', input: `Habari ${mark}` } }),
  }),
  paidLoad({
    name: 'speech mita/sema',
    weight: 2,
    endpoint: 'POST /v1/audio/speech',
    keyed: false,
    body: (mark) => ({
      json: { model: 'mita/sema', voice: 'asha', input: `Habari ${mark}`, response_format: 'pcm' },
    }),
  }),
  paidLoad({
    name: 'transcription mita/sikia',
    weight: 2,
    endpoint: 'POST /v1/audio/transcriptions',
    keyed: false,
    body: (mark) => {
      const data = webmRecording(SPOKEN_S, mark, SPOKEN_S * 1_000).toString('base64')
      return { json: { model: 'mita/sikia', input_audio: { data, format: 'webm' } } }
    },
  }),
  paidLoad({
    name: 'images mita/chora',
    weight: 2,
    endpoint: 'POST /v1/images/generations',
    keyed: false,
    body: (mark) => ({ json: { model: 'mita/chora', prompt: `Kiboko ${mark}`, n: 2 } }),
  }),
]
