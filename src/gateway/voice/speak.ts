import type { Answer } from '../../lib/answer.ts'
import { invalidField } from '../../lib/failure.ts'
import { answerHeaders, runBilledCall } from '../billed-call.ts'
import type { Gateway, GatewayCall, PaidParts } from '../gateway.ts'
import { voiceFor, voiceModel } from './model.ts'
import { countCharacters, planSpeech } from './plan-speech.ts'

const MOST_CHARACTERS = 100_000

/** The fields that the gateway reads. The rest is for the model. */
export type SpeechBody = {
  model?: string | null | undefined
  input: string
  voice?: string | null | undefined
  response_format?: 'mp3' | 'pcm' | null | undefined
  speed?: number | null | undefined
  stream_format?: 'audio' | null | undefined
}

/** Text to speech: raw audio, whole. */
export async function speak(
  gateway: PaidParts & Pick<Gateway, 'rules' | 'upstreams' | 'voice'>,
  call: GatewayCall,
  body: SpeechBody,
): Promise<Answer> {
  const { model: named, input, voice, response_format: format, speed, ...rest } = body
  const { stream_format: _whole, ...extra } = rest
  checkInput(input)
  const model = voiceModel(gateway.catalog, 'model', named ?? gateway.voice.ttsModel, 'speech')
  const stage = planSpeech(gateway, {
    kind: 'speech',
    model,
    input,
    voice: voiceFor(model, voice, gateway.voice.voice),
    responseFormat: format ?? 'mp3',
    speed: speed ?? undefined,
    extra,
  })
  return runBilledCall(gateway, call, {
    ...stage,
    answer: ({ audio, mediaType, generationId }, _usage, receipt) => ({
      status: 200,
      headers: {
        'content-type': mediaType,
        'content-length': String(audio.length),
        ...answerHeaders(call.requestId, receipt, generationId),
      },
      body: audio,
    }),
  })
}

function checkInput(input: string): void {
  if (input.trim() === '') throw invalidField('input', 'must not be empty')
  if (!input.isWellFormed()) throw invalidField('input', 'must be valid Unicode text')
  if (countCharacters(input) > MOST_CHARACTERS)
    throw invalidField('input', 'is longer than 100,000 characters')
}
