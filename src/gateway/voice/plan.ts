import type { PricedModel } from '../../catalog/catalog.ts'
import { Failure } from '../../lib/failure.ts'
import type {
  ChatResult,
  SpeechRequest,
  TranscriptionResult,
} from '../../upstream/contract/contract.ts'
import { orderChat } from '../chat/order.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { planHearing, type Hearing, type Recording } from './hearing.ts'
import { KISWAHILI, requireLanguage } from '../languages.ts'
import { promptTokens } from '../price/prompt-size.ts'
import { reserveTokens, type Amounts } from '../price/reservation.ts'
import { planSpeaking, type Spoken } from './speaking.ts'
import { CHARACTERS_PER_S, holdAmounts, sumAmounts } from '../price/voice-cost.ts'
import { voiceInstruction } from './instruction.ts'
import { voiceFor, voiceModel } from './model.ts'
import type { StageWork } from './run.ts'

/** The fields of a voice body, without the recording. */
export type VoiceAsk = {
  stt_model?: string | null | undefined
  text_model?: string | null | undefined
  tts_model?: string | null | undefined
  voice?: string | null | undefined
  language?: string | null | undefined
  response_language?: string | null | undefined
  response_format?: SpeechRequest['responseFormat'] | null | undefined
  include_audio?: boolean | null | undefined
}

/** A voice flow that has been understood. Later stages are planned from what earlier ones gave. */
export type VoicePlan = {
  amounts: Amounts
  language: string
  hearing: Hearing
  answering(transcript: string): StageWork<ChatResult>
  /** Absent when no audio is wanted. */
  speaking: ((text: string) => StageWork<Spoken>) | undefined
}

/** An answer to be heard is short; a model that thinks first needs some of it for that. */
const ANSWER_TOKENS = 2_048
/** For the hold, where the recording does not tell its length. */
const ASSUMED_SECONDS = 60

export function planVoice(
  gateway: Gateway,
  call: GatewayCall,
  ask: VoiceAsk,
  recording: Recording,
): VoicePlan {
  const language = requireLanguage(ask.language || KISWAHILI, 'language')
  const instruction = voiceInstruction(
    requireLanguage(ask.response_language || KISWAHILI, 'response_language'),
  )
  const { stt, text, tts } = modelsOf(gateway, ask)
  const hearing = planHearing(gateway, {
    kind: 'voice_transcription',
    model: stt,
    recording,
    language,
    responseFormat: 'json',
    extra: {},
  })
  const voice = tts && voiceFor(tts, ask.voice, gateway.voice.voice)
  const stages = [
    hearing.amounts,
    answerAmounts(gateway, text, instruction, hearing.seconds ?? ASSUMED_SECONDS),
    ...(tts === undefined
      ? []
      : [holdAmounts(tts, undefined, { ...gateway.rules, ...gateway.voice })]),
  ]
  return {
    amounts: sumAmounts(stages, gateway.rules),
    language,
    hearing: { ...hearing, work: async (signal) => requireWords(await hearing.work(signal)) },
    answering: (transcript) => planAnswer(gateway, call, text, { instruction, transcript }),
    speaking:
      tts &&
      ((input) =>
        planSpeaking(gateway, {
          kind: 'voice_speech',
          model: tts,
          input,
          voice,
          responseFormat: ask.response_format ?? 'mp3',
          extra: {},
        })),
  }
}

function modelsOf(gateway: Gateway, ask: VoiceAsk) {
  const { sttModel, textModel, ttsModel } = gateway.voice
  const named = (
    field: 'stt_model' | 'text_model' | 'tts_model',
    fallback: string | undefined,
  ) => ({
    given: ask[field],
    fallback,
    field,
  })
  return {
    stt: voiceModel(gateway, named('stt_model', sttModel), { outputs: ['transcription'] }),
    text: voiceModel(gateway, named('text_model', textModel), { outputs: ['text'] }),
    tts:
      ask.include_audio === false
        ? undefined
        : voiceModel(gateway, named('tts_model', ttsModel), { outputs: ['speech'] }),
  }
}

function answerAmounts(
  gateway: Gateway,
  model: PricedModel,
  instruction: string,
  seconds: number,
): Amounts {
  const textBytes = Buffer.byteLength(instruction) + Math.ceil(seconds * CHARACTERS_PER_S)
  return reserveTokens({
    prices: model.prices,
    rate: model,
    rules: gateway.rules,
    free: model.free,
    promptTokens: promptTokens({ textBytes, imageCount: 0, mediaTokens: 0 }),
    images: 0,
    answer: { maxTokens: ANSWER_TOKENS, choices: 1, modelMaxTokens: model.maxOutputTokens },
    at: gateway.desk.clock.now(),
  })
}

function planAnswer(
  gateway: Gateway,
  call: GatewayCall,
  model: PricedModel,
  said: { instruction: string; transcript: string },
): StageWork<ChatResult> {
  const order = orderChat(gateway, call, {
    model: model.id,
    messages: [
      { role: 'system', content: said.instruction },
      { role: 'user', content: said.transcript },
    ],
    max_tokens: Math.min(ANSWER_TOKENS, model.maxOutputTokens ?? ANSWER_TOKENS),
  })
  return {
    stage: { ...order.stage, kind: 'voice_text' },
    work: async (signal) => {
      const { targets, request } = order
      const result = await gateway.upstreams.call(targets, 'chat', request, signal)
      if (result.text.trim() !== '') return result
      throw new Failure('upstream_failed', 'The model gave no answer. Try again.')
    },
    usage: (result) => order.bill(result.usage, Buffer.byteLength(result.text)),
  }
}

function requireWords(result: TranscriptionResult): TranscriptionResult {
  if (result.text.trim() !== '') return result
  throw new Failure('unsuitable', 'audio_data: no speech was heard in the recording.', {
    param: 'audio_data',
    code: 'no_speech',
  })
}
