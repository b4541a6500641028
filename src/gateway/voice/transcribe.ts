import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { TranscriptionResult } from '../../upstream/contract/contract.ts'
import { answerHeaders, JSON_TYPE } from '../answer-headers.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { planHearing, type Hearing, type Recording } from './hearing.ts'
import { languageCode, requireLanguage } from '../languages.ts'
import { buy } from '../billed-call.ts'
import { voiceModel } from './model.ts'
import type { Fields } from '../../lib/fields.ts'

/** The fields of a transcription that the gateway reads, however they came. */
export type TranscriptionAsk = {
  model?: string | null | undefined
  language?: string | null | undefined
  response_format?: 'json' | 'verbose_json' | null | undefined
  stream?: boolean | null | undefined
  /** Everything else, for the model. */
  extra: Fields
}

/** Speech to text. */
export async function transcribe(
  gateway: Gateway,
  call: GatewayCall,
  ask: TranscriptionAsk,
  recording: Recording,
): Promise<Answer> {
  if (ask.stream === true) {
    throw new Failure('invalid', 'stream is not supported: leave it out.', { param: 'stream' })
  }
  const language = ask.language ? requireLanguage(ask.language, 'language') : undefined
  const model = voiceModel(
    gateway,
    { given: ask.model, fallback: gateway.voice.sttModel, field: 'model' },
    { outputs: ['transcription'] },
  )
  const responseFormat = ask.response_format ?? 'json'
  const hearing = planHearing(gateway, {
    kind: 'transcription',
    model,
    recording,
    language,
    responseFormat,
    extra: ask.extra,
  })
  const { stage, amounts } = hearing
  return buy(gateway, call, {
    stage,
    amounts,
    work: () => hearing.work(call.signal),
    usage: hearing.usage,
    answer: (result, _usage, receipt) => ({
      status: 200,
      headers: {
        'content-type': JSON_TYPE,
        ...answerHeaders(call.requestId, receipt, result.generationId),
      },
      body: JSON.stringify({
        ...transcript(result, hearing, language),
        ...(responseFormat === 'verbose_json' ? timing(result.verbose) : {}),
      }),
    }),
  })
}

/** `und` is the code for a language that nobody told. */
function transcript(result: TranscriptionResult, hearing: Hearing, asked: string | undefined) {
  const duration = result.durationS ?? hearing.seconds
  return {
    text: result.text,
    language: heardLanguage(result) ?? asked ?? 'und',
    ...(duration === undefined ? {} : { duration }),
    ...usageOf(result, duration),
  }
}

export function heardLanguage(result: TranscriptionResult): string | undefined {
  return result.language === undefined ? undefined : languageCode(result.language)
}

/** `type` is what OpenAI's clients tell the two kinds of usage by. */
function usageOf(result: TranscriptionResult, duration: number | undefined) {
  const told = result.usage.kind === 'reported' ? result.usage.usage : {}
  const seconds = told.seconds ?? duration
  const tokens = {
    input_tokens: told.promptTokens,
    output_tokens: told.completionTokens,
    total_tokens: told.totalTokens,
  }
  const counted = Object.values(tokens).some((count) => count !== undefined)
  if (seconds === undefined && !counted) return {}
  return { usage: { type: counted ? 'tokens' : 'duration', seconds, ...tokens } }
}

const TIMING = ['task', 'segments', 'words', 'confidence'] as const

/** Only what is about the sound: other members may name who transcribed it. */
function timing(verbose: Fields): Fields {
  return Object.fromEntries(
    TIMING.flatMap((name) => (verbose[name] === undefined ? [] : [[name, verbose[name]]])),
  )
}
