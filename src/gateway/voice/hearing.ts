import type { PricedModel } from '../../catalog/catalog.ts'
import { Failure } from '../../lib/failure.ts'
import type { TranscriptionRequest, TranscriptionResult } from '../../upstream/contract/contract.ts'
import type { Usage as UpstreamUsage } from '../../upstream/contract/usage.ts'
import { requireAudio, type AudioFormat } from '../media/audio-format.ts'
import { audioSeconds } from '../media/audio-length.ts'
import { decodeBase64 } from '../media/base64.ts'
import type { Stage } from '../bill/rows.ts'
import type { Gateway } from '../gateway.ts'
import type { Usage } from '../billed-call.ts'
import type { Amounts } from '../price/reservation.ts'
import { reportedCost, tellUnusable } from '../price/usage-cost.ts'
import { hearingPrice, holdAmounts, NOMINAL_MICRO } from '../price/voice-cost.ts'
import type { Fields } from '../../lib/fields.ts'

export const AUDIO_CAP_BYTES = 25 * 1024 * 1024

/** A recording that has been checked. */
export type Recording = { bytes: Buffer; format: AudioFormat }

/** Listening that has been understood: what to hold, how to do it, how to bill it. */
export type Hearing = {
  stage: Stage
  amounts: Amounts
  /** Told by the file itself, if it tells. */
  seconds: number | undefined
  work(signal: AbortSignal): Promise<TranscriptionResult>
  usage(result: TranscriptionResult): Usage
}

export function planHearing(
  gateway: Gateway,
  ask: {
    kind: 'transcription' | 'voice_transcription'
    model: PricedModel
    recording: Recording
    language: string | undefined
    responseFormat: TranscriptionRequest['responseFormat']
    extra: Fields
  },
): Hearing {
  const { model, recording, language } = ask
  const { rules, voice, desk } = gateway
  const seconds = audioSeconds(recording.bytes, recording.format)
  const at = desk.clock.now()
  const request: TranscriptionRequest = {
    audio: recording.bytes,
    format: recording.format,
    responseFormat: ask.responseFormat,
    extra: ask.extra,
    ...(language === undefined ? {} : { language }),
  }
  return {
    stage: { kind: ask.kind, model: model.id, priceSnapshotId: model.priceSnapshotId },
    amounts: holdAmounts(model, hearingPrice(model, { seconds }, at), { ...rules, ...voice }),
    seconds,
    work: (signal) => gateway.upstreams.call(model.targets, 'transcription', request, signal),
    usage: (result) => heardUsage(gateway, model, result, seconds),
  }
}

/** Bytes that came as base64 in a JSON member. */
export async function recordingFromText(
  text: string,
  said: { format: AudioFormat; dataField: string; formatField: string },
): Promise<Recording> {
  const field = said.dataField
  const bytes = decodeBase64(text, { field, maxBytes: AUDIO_CAP_BYTES, tooLarge: tooLarge(field) })
  const format = await requireAudio(bytes, { field: said.formatField, format: said.format })
  return { bytes, format }
}

export async function recordingFromFile(bytes: Buffer, field: string): Promise<Recording> {
  if (bytes.length > AUDIO_CAP_BYTES) throw tooLarge(field)()
  return { bytes, format: await requireAudio(bytes, { field }) }
}

function tooLarge(field: string): () => Failure {
  return () => new Failure('too_large', `${field}: audio is limited to 25 MiB.`, { param: field })
}

/** What the upstream says it cost; else the catalog's price; else a nominal credit. */
function heardUsage(
  gateway: Gateway,
  model: PricedModel,
  result: TranscriptionResult,
  parsedS: number | undefined,
): Usage {
  const { usage: reading } = result
  tellUnusable(gateway.desk.log, model.id, reading)
  const told: UpstreamUsage = reading.kind === 'reported' ? reading.usage : {}
  const { promptTokens, completionTokens, totalTokens } = told
  const counts = { promptTokens, completionTokens, totalTokens }
  const seconds = told.seconds ?? result.durationS ?? parsedS
  const tokens =
    promptTokens === undefined || completionTokens === undefined
      ? undefined
      : { promptTokens, completionTokens }
  const priced = hearingPrice(model, { seconds, tokens }, gateway.desk.clock.now())
  if (told.costUsd !== undefined) {
    const catalogMicro = priced ?? NOMINAL_MICRO
    return { ...counts, ...reportedCost({ reading, rate: model, catalogMicro }) }
  }
  const exact = tokens !== undefined || told.seconds !== undefined
  return {
    ...counts,
    costMicro: priced ?? NOMINAL_MICRO,
    estimated: priced === undefined || !exact,
  }
}
