import type { PricedModel } from '../../catalog/catalog.ts'
import { Failure } from '../../lib/failure.ts'
import type { Fields } from '../../lib/json.ts'
import type { SpeechFormat, SpeechRequest } from '../../upstream/contract/contract.ts'
import { audioFormat, looksLikeText } from '../media/audio-format.ts'
import { audioSeconds } from '../media/audio-length.ts'
import { stageOf, type StageUsage } from '../bill/rows.ts'
import type { PaidStage } from '../billed-call.ts'
import type { Gateway } from '../gateway.ts'
import { measureJson } from '../price/prompt-size.ts'
import { listCost } from '../price/reported-cost.ts'
import {
  CHARACTERS_PER_S,
  voiceEstimate,
  NOMINAL_MICRO,
  SLOWEST_CHARACTERS_PER_S,
  speechPrice,
} from '../price/voice-price.ts'

/** Collected whole before it is sent, so that a failure is still JSON. */
const SPEECH_CAP_BYTES = 25 * 1024 * 1024
/** 16 bit, mono, 24 kHz: what models give as PCM. */
const PCM_BYTES_PER_S = 48_000

export type Speech = SpeechFormat & { audio: Buffer }

export function planSpeech(
  gateway: Pick<Gateway, 'billing' | 'rules' | 'upstreams' | 'voice'>,
  plan: {
    kind: 'speech' | 'voice_speech'
    model: PricedModel
    input: string
    voice: string | undefined
    responseFormat: SpeechRequest['responseFormat']
    speed?: number | undefined
    extra: Fields
  },
): PaidStage<Speech> {
  const { model, input, voice, responseFormat, speed } = plan
  const characters = countCharacters(input)
  const at = gateway.billing.clock.now()
  const request: SpeechRequest = {
    input,
    responseFormat,
    maxBytes: SPEECH_CAP_BYTES,
    extra: plan.extra,
    voice,
    speed,
  }
  const sent = { characters, textBytes: measureJson({ ...plan.extra, input }).bytes }
  const priceAt = (charactersPerS: number) =>
    speechPrice(model, { ...sent, seconds: characters / charactersPerS }, at)?.micro
  const slowest = SLOWEST_CHARACTERS_PER_S * Math.min(1, speed ?? 1)
  const rules = { ...gateway.rules, ...gateway.voice }
  const charge = (seconds: number): StageUsage => {
    const price = speechPrice(model, { ...sent, seconds }, at)
    const exact = price?.exact === true
    const costMicro = price?.micro ?? NOMINAL_MICRO
    return { costMicro, estimated: !exact, upstreamCost: listCost(costMicro, model, exact) }
  }
  return {
    stage: stageOf(plan.kind, model),
    estimate: voiceEstimate(model, priceAt(CHARACTERS_PER_S), rules, priceAt(slowest)),
    work: (asking) => gateway.upstreams.call(model.targets, 'speech', request, asking),
    usage: ({ audio }) => charge(speechSeconds(audio, responseFormat)),
    accept: (speech) => requireAudible(speech, responseFormat),
    refused: () => charge(characters / CHARACTERS_PER_S),
  }
}

/** Unicode characters, not UTF-16 units. */
export function countCharacters(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return count
}

/** Some upstreams answer 200 with an error page, or in another format. */
function requireAudible({ audio }: Speech, format: SpeechRequest['responseFormat']): void {
  const sound =
    format === 'mp3' ? audioFormat(audio) === 'mp3' : !looksLikeText(audio) && !isContainer(audio)
  if (sound) return
  throw new Failure('upstream_failed', 'The model did not answer with the requested audio format.')
}

/** PCM has no header, and may look like an MP3 or AAC frame by chance. */
function isContainer(audio: Buffer): boolean {
  const found = audioFormat(audio)
  const chance = (found === 'mp3' || found === 'aac') && audio[0] === 0xff
  return found !== undefined && !chance
}

function speechSeconds(audio: Buffer, format: SpeechRequest['responseFormat']): number {
  const parsed = format === 'mp3' ? audioSeconds(audio, 'mp3') : undefined
  return parsed ?? audio.length / PCM_BYTES_PER_S
}
