import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { Fields } from '../../lib/json.ts'
import type { TranscriptionResult } from '../../upstream/contract/contract.ts'
import { totalTokens } from '../bill/rows.ts'
import { jsonAnswer, runBilledCall } from '../billed-call.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { languageCode, spokenLanguage } from '../languages.ts'
import { voiceModel } from './model.ts'
import { chargedSeconds, planTranscription } from './plan-transcription.ts'
import type { Recording } from './recording.ts'

/** The fields that the gateway reads, from JSON or a form. */
export type TranscriptionBody = {
  model?: string | null | undefined
  language?: string | null | undefined
  response_format?: 'json' | 'verbose_json' | null | undefined
  stream?: boolean | null | undefined
  /** Everything else, for the model. */
  extra: Fields
}

export async function transcribe(
  gateway: Omit<Gateway, 'nameForUpstream'>,
  call: GatewayCall,
  body: TranscriptionBody,
  recording: Recording,
): Promise<Answer> {
  if (body.stream === true) {
    throw new Failure('invalid', 'stream is not supported here. Leave it out.', { param: 'stream' })
  }
  const language = spokenLanguage(body.language, gateway.voice.language)
  const id = body.model ?? gateway.voice.sttModel
  const responseFormat = body.response_format ?? 'json'
  const verbose = responseFormat === 'verbose_json'
  const stage = planTranscription(gateway, {
    kind: 'transcription',
    model: voiceModel(gateway.catalog, 'model', id, 'transcription'),
    recording,
    language,
    responseFormat,
    extra: body.extra,
  })
  const { requestId } = call
  return runBilledCall(gateway, call, {
    ...stage,
    answer: (result, _usage, receipt) =>
      jsonAnswer(
        {
          ...transcript(result, { seconds: stage.seconds, language, verbose }),
          ...(verbose ? timing(result.verbose) : {}),
        },
        { requestId, receipt, generationId: result.generationId },
      ),
  })
}

function transcript(
  result: TranscriptionResult,
  known: { seconds: number | undefined; language: string | undefined; verbose: boolean },
) {
  const duration = result.durationS ?? known.seconds
  return {
    text: result.text,
    language: heardLanguage(result, known.language),
    duration,
    usage: usageOf(result, chargedSeconds(result, known.seconds), known.verbose),
  }
}

/** What was heard, else what was asked for; `und` where neither is known. */
export function heardLanguage(result: TranscriptionResult, asked: string | undefined): string {
  return languageCode(result.language ?? '') ?? asked ?? 'und'
}

/** `type` is how OpenAI's clients distinguish the two kinds of usage; verbose, they know only one. */
function usageOf(result: TranscriptionResult, seconds: number | undefined, verbose: boolean) {
  const reported = result.usage.kind === 'reported' ? result.usage.usage : {}
  const tokens = {
    input_tokens: reported.promptTokens,
    output_tokens: reported.completionTokens,
    total_tokens: totalTokens(reported),
  }
  const type = verbose || tokens.total_tokens === undefined ? 'duration' : 'tokens'
  return { type, seconds, ...tokens }
}

const TIMING = ['task', 'segments', 'words', 'confidence'] as const

/** Only timing members: others may name who transcribed it. */
function timing(verbose: Fields): Fields {
  return Object.fromEntries(
    TIMING.flatMap((name) => (verbose[name] === undefined ? [] : [[name, verbose[name]]])),
  )
}
