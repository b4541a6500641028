import { z } from 'zod'
import type { Gateway } from '../gateway/gateway.ts'
import { recordingFromText } from '../gateway/voice/recording.ts'
import type { VoiceBody } from '../gateway/voice/plan-voice.ts'
import { respond } from '../gateway/voice/voice.ts'
import { route, type Route } from '../http/route.ts'
import {
  AUDIO_JSON_LIMIT_BYTES,
  audioFormatField,
  modelField,
  spokenLanguageField,
  takeOut,
} from './audio.ts'

const body = z.object({
  audio_data: z.string().meta({ description: 'Raw base64, not a data: URI' }),
  audio_format: audioFormatField,
  stt_model: modelField,
  text_model: modelField,
  tts_model: modelField,
  voice: z.string().min(1).max(256).nullish(),
  language: spokenLanguageField,
  response_language: z.string().max(64).nullish().meta({
    description: 'Of the answer, as ISO 639-1. Without it Kiswahili (`sw`), as for `language`',
  }),
  response_format: z.enum(['mp3', 'pcm']).nullish(),
  include_audio: z.boolean().nullish(),
}) satisfies z.ZodType<VoiceBody>

const answer = z.object({
  transcript: z.string(),
  transcript_language: z.string(),
  text: z.string(),
  audio_base64: z.string().optional().meta({ example: 'SUQzBAAAAAAAI1RTU0UAAAAP' }),
  audio_content_type: z.string().optional().meta({ example: 'audio/mpeg' }),
  speech_generation_id: z.string().optional().meta({ example: 'gen_8fKq2mZp4TnW9xLc7RbYvH3s' }),
})

export function voiceRoutes(gateway: Gateway): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/voice/responses',
      summary: 'Transcribe a recording, answer it, and speak the answer',
      description:
        'One call instead of three. Kiswahili is assumed unless `language` and `response_language` say otherwise; if a stage fails, nothing is charged.',
      tag: 'Voice',
      credential: 'either',
      dialect: 'compatible',
      limit: 'principal',
      paid: true,
      bodyLimitBytes: AUDIO_JSON_LIMIT_BYTES,
      body,
      response: answer,
      handle: async (call) => {
        const recording = await recordingFromText(takeOut(call.body, 'audio_data'), {
          format: call.body.audio_format,
          dataField: 'audio_data',
          formatField: 'audio_format',
        })
        return respond(gateway, call, call.body, recording)
      },
    }),
  ]
}
