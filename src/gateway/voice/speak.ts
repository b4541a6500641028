import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { answerHeaders } from '../answer-headers.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { buy } from '../billed-call.ts'
import { countCharacters, planSpeaking } from './speaking.ts'
import { voiceFor, voiceModel } from './model.ts'

const MOST_CHARACTERS = 100_000

/** The fields of a speech body that the gateway itself reads. The rest is for the model. */
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
  gateway: Gateway,
  call: GatewayCall,
  body: SpeechBody,
): Promise<Answer> {
  const { model: given, input, voice, response_format: format, speed, ...rest } = body
  const { stream_format: _whole, ...extra } = rest
  checkInput(input)
  const model = voiceModel(
    gateway,
    { given, fallback: gateway.voice.ttsModel, field: 'model' },
    { outputs: ['speech'] },
  )
  const speaking = planSpeaking(gateway, {
    kind: 'speech',
    model,
    input,
    voice: voiceFor(model, voice, gateway.voice.voice),
    responseFormat: format ?? 'mp3',
    speed: speed ?? undefined,
    extra,
  })
  const { stage, amounts, usage } = speaking
  return buy(gateway, call, {
    stage,
    amounts,
    work: () => speaking.work(call.signal),
    usage,
    answer: (spoken, _usage, receipt) => ({
      status: 200,
      headers: {
        'content-type': spoken.mediaType,
        'content-length': String(spoken.audio.length),
        ...answerHeaders(call.requestId, receipt, spoken.generationId),
      },
      body: spoken.audio,
    }),
  })
}

function checkInput(input: string): void {
  if (input.trim() === '') throw wrong('must not be empty')
  if (!input.isWellFormed()) throw wrong('must be valid Unicode text')
  if (countCharacters(input) > MOST_CHARACTERS) throw wrong('is longer than 100,000 characters')
}

function wrong(why: string): Failure {
  return new Failure('invalid', `input ${why}.`, { param: 'input' })
}
