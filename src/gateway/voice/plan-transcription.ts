import type { PricedModel } from '../../catalog/catalog.ts'
import type { Fields } from '../../lib/json.ts'
import type { TranscriptionRequest, TranscriptionResult } from '../../upstream/contract/contract.ts'
import type { Usage } from '../../upstream/contract/usage.ts'
import { stageOf, type StageUsage } from '../bill/rows.ts'
import type { PaidStage } from '../billed-call.ts'
import type { Gateway } from '../gateway.ts'
import { measureJson } from '../price/prompt-size.ts'
import { logUnusable } from '../price/call-charge.ts'
import { listCost, reportedCost } from '../price/reported-cost.ts'
import { voiceEstimate, NOMINAL_MICRO, transcriptionPrice } from '../price/voice-price.ts'
import type { Recording } from './recording.ts'

export type TranscriptionStage = PaidStage<TranscriptionResult> & {
  /** As measured, where it could be. */
  seconds: number | undefined
}

export function planTranscription(
  gateway: Pick<Gateway, 'billing' | 'reportedCapUsd' | 'rules' | 'upstreams' | 'voice'>,
  plan: {
    kind: 'transcription' | 'voice_transcription'
    model: PricedModel
    recording: Recording
    language: string | undefined
    responseFormat: TranscriptionRequest['responseFormat']
    extra: Fields
  },
): TranscriptionStage {
  const { model, recording, language } = plan
  const { rules, voice, billing } = gateway
  const { bytes, seconds } = recording
  const textBytes = measureJson(plan.extra).bytes
  const at = billing.clock.now()
  const price = transcriptionPrice(model, { seconds, textBytes }, at)
  const longest = seconds ?? bytes.length / LEAST_BYTES_PER_S
  const most = transcriptionPrice(model, { seconds: longest, textBytes }, at)
  const request: TranscriptionRequest = {
    audio: bytes,
    format: recording.format,
    responseFormat: plan.responseFormat,
    extra: plan.extra,
    language,
  }
  return {
    stage: stageOf(plan.kind, model),
    estimate: voiceEstimate(model, price, { ...rules, ...voice }, most),
    seconds,
    work: (asking) => gateway.upstreams.call(model.targets, 'transcription', request, asking),
    usage: (result) => transcriptionUsage(gateway, model, result, recording),
    refused: (usage) => transcriptionUsage(gateway, model, { usage }, recording),
  }
}

/** What cannot be measured is speech at the lowest bit rate, or at the one that is usual. */
const LEAST_BYTES_PER_S = 750
const USUAL_BYTES_PER_S = 4_000

type Told = Pick<TranscriptionResult, 'usage' | 'durationS'>

/** The longer of what was measured and what the upstream says. */
export function chargedSeconds(
  { durationS, usage }: Told,
  fileSeconds: number | undefined,
): number | undefined {
  const reported = usage.kind === 'reported' ? usage.usage.seconds : undefined
  const known = [fileSeconds, reported, durationS].filter((one) => one !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

/** The reported cost, else the catalog's price, else the nominal amount. */
function transcriptionUsage(
  { billing, reportedCapUsd }: Pick<Gateway, 'billing' | 'reportedCapUsd'>,
  model: PricedModel,
  result: Told,
  recording: Recording,
): StageUsage {
  const { usage: reading } = result
  logUnusable(billing.log, model.id, reading)
  const reported: Usage = reading.kind === 'reported' ? reading.usage : {}
  const { promptTokens, completionTokens } = reported
  const counts = { promptTokens, completionTokens }
  const toldSeconds = chargedSeconds(result, undefined)
  const seconds =
    chargedSeconds(result, recording.seconds) ?? recording.bytes.length / USUAL_BYTES_PER_S
  const tokens =
    promptTokens === undefined || completionTokens === undefined
      ? undefined
      : { ...reported, promptTokens, completionTokens }
  const catalogMicro = transcriptionPrice(model, { seconds, tokens }, billing.clock.now())
  if (reported.costUsd !== undefined) {
    // Packets can be made that say less than they hold: they do not disprove the upstream's report.
    const measured = toldSeconds !== undefined || tokens !== undefined
    const isGuess = catalogMicro === undefined || model.price.basis === 'unknown' || !measured
    const capUsd = isGuess ? reportedCapUsd : undefined
    const known = { reading, rate: model, catalogMicro, capUsd, nominalMicro: NOMINAL_MICRO }
    const cost = reportedCost(known)
    if (cost.estimated) {
      billing.log.warn('A transcription was not charged as its upstream reported.', {
        model: model.id,
      })
    }
    return { ...counts, ...cost }
  }
  const counted = tokens !== undefined || reported.seconds !== undefined
  const exact = catalogMicro !== undefined && counted
  const costMicro = catalogMicro ?? NOMINAL_MICRO
  const upstreamCost = listCost(costMicro, model, exact)
  return { ...counts, costMicro, estimated: !exact, upstreamCost }
}
