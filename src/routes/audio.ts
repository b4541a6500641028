import { z } from 'zod'
import { AUDIO_FORMATS } from '../gateway/media/audio-format.ts'
import type { Gateway } from '../gateway/gateway.ts'
import {
  AUDIO_CAP_BYTES,
  recordingFromFile,
  recordingFromText,
} from '../gateway/voice/recording.ts'
import { speak, type SpeechBody } from '../gateway/voice/speak.ts'
import { transcribe } from '../gateway/voice/transcribe.ts'
import { transcriptionFromForm } from '../gateway/voice/transcription-form.ts'
import { route, type Route } from '../http/route.ts'
import type { Form } from '../lib/form.ts'

/** Room for everything but the audio itself. */
const REST_BYTES = 64 * 1024
export const AUDIO_JSON_LIMIT_BYTES = Math.ceil(AUDIO_CAP_BYTES / 3) * 4 + REST_BYTES

export const modelField = z.string().min(1).max(256).nullish()
export const audioFormatField = z.enum(AUDIO_FORMATS)
export const spokenLanguageField = z.string().max(64).nullish().meta({
  description:
    'What is spoken, as ISO 639-1. Without it Kiswahili (`sw`) is expected, unless the operator chose another; `auto` leaves it to the model',
})

const transcription = z.looseObject({
  model: modelField,
  input_audio: z.object({
    data: z.string().meta({ description: 'Raw base64, not a data: URI' }),
    format: audioFormatField,
  }),
  language: spokenLanguageField,
  response_format: z.enum(['json', 'verbose_json']).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  stream: z.boolean().nullish(),
})

const transcript = z.looseObject({
  text: z.string(),
  language: z.string().meta({
    description: 'What was heard, else what was asked for; `und` if neither is known',
  }),
  duration: z.number().optional(),
  usage: z
    .object({
      type: z.enum(['tokens', 'duration']),
      seconds: z.number().optional(),
      input_tokens: z.int().optional(),
      output_tokens: z.int().optional(),
      total_tokens: z.int().optional(),
    })
    .meta({ description: 'Of type `duration` where the model counts no tokens' }),
})

const speech = z.looseObject({
  model: modelField,
  input: z.string().meta({ description: 'At most 100,000 Unicode characters' }),
  voice: z.string().min(1).max(256).nullish(),
  response_format: z.enum(['mp3', 'pcm']).nullish(),
  speed: z.number().min(0.1).max(10).nullish(),
  stream_format: z.literal('audio').nullish(),
}) satisfies z.ZodType<SpeechBody>

export function audioRoutes(gateway: Gateway): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/audio/transcriptions',
      summary: 'Transcribe a recording',
      description:
        'Send it as base64 in JSON, or as a file in a form: at most 25 MiB. Without `model` the usual one of the service transcribes.',
      tag: 'Voice',
      credential: 'either',
      dialect: 'compatible',
      limit: 'principal',
      paid: true,
      bodyKind: 'json-or-multipart',
      bodyLimitBytes: AUDIO_JSON_LIMIT_BYTES,
      multipartLimitBytes: AUDIO_CAP_BYTES + REST_BYTES,
      body: transcription,
      response: transcript,
      handle: async (call) => {
        const { ask, recording } = call.form
          ? await fromForm(await call.form())
          : await fromJson(call.body)
        return transcribe(gateway, call, ask, recording)
      },
    }),
    route({
      method: 'POST',
      path: '/v1/audio/speech',
      summary: 'Turn text into speech. Returns raw audio',
      description: 'MP3, or 16-bit PCM without a header. Failures are always JSON.',
      tag: 'Voice',
      credential: 'either',
      dialect: 'compatible',
      limit: 'principal',
      paid: true,
      body: speech,
      answerType: ['audio/mpeg', 'audio/pcm'],
      handle: (call) => speak(gateway, call, call.body),
    }),
  ]
}

async function fromForm(form: Form) {
  const { body: ask, bytes } = transcriptionFromForm(form)
  return { ask, recording: await recordingFromFile(bytes, 'file') }
}

async function fromJson(body: z.infer<typeof transcription>) {
  const { input_audio: audio, model, language, response_format, stream, ...extra } = body
  const text = takeOut(audio, 'data')
  const recording = await recordingFromText(text, {
    format: audio.format,
    dataField: 'input_audio.data',
    formatField: 'input_audio.format',
  })
  return { ask: { model, language, response_format, stream, extra }, recording }
}

/** Takes the base64 text out of the body, which is in memory until the call ends. */
export function takeOut<Name extends string>(body: Record<Name, string>, name: Name): string {
  const text = body[name]
  body[name] = ''
  return text
}
