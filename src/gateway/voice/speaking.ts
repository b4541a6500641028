import type { PricedModel } from '../../catalog/catalog.ts'
import { Failure } from '../../lib/failure.ts'
import type { SpeechFormat, SpeechRequest } from '../../upstream/contract/contract.ts'
import { audioFormat, looksLikeText } from '../media/audio-format.ts'
import { audioSeconds } from '../media/audio-length.ts'
import type { Stage } from '../bill/rows.ts'
import type { Gateway } from '../gateway.ts'
import type { Usage } from '../billed-call.ts'
import type { Amounts } from '../price/reservation.ts'
import { CHARACTERS_PER_S, holdAmounts, NOMINAL_MICRO, speakingPrice } from '../price/voice-cost.ts'
import type { Fields } from '../../lib/fields.ts'

/** Gathered up to here and only then sent, so that a failure at any moment is still JSON. */
const SPEECH_CAP_BYTES = 25 * 1024 * 1024
/** 16 bits, mono, 24 kHz: what the models that speak PCM give. */
const PCM_BYTES_PER_S = 48_000

export type Spoken = SpeechFormat & { audio: Buffer }

/** Speaking that has been understood: what to hold, how to do it, how to bill it. */
export type Speaking = {
  stage: Stage
  amounts: Amounts
  work(signal: AbortSignal): Promise<Spoken>
  usage(spoken: Spoken): Usage
}

export function planSpeaking(
  gateway: Gateway,
  ask: {
    kind: 'speech' | 'voice_speech'
    model: PricedModel
    input: string
    voice: string | undefined
    responseFormat: SpeechRequest['responseFormat']
    speed?: number | undefined
    extra: Fields
  },
): Speaking {
  const { model, input, voice, responseFormat, speed } = ask
  const characters = countCharacters(input)
  const at = gateway.desk.clock.now()
  const request: SpeechRequest = {
    input,
    responseFormat,
    maxBytes: SPEECH_CAP_BYTES,
    extra: ask.extra,
    ...(voice === undefined ? {} : { voice }),
    ...(speed === undefined ? {} : { speed }),
  }
  const foreseen = speakingPrice(model, { characters, seconds: characters / CHARACTERS_PER_S }, at)
  return {
    stage: { kind: ask.kind, model: model.id, priceSnapshotId: model.priceSnapshotId },
    amounts: holdAmounts(model, foreseen?.micro, { ...gateway.rules, ...gateway.voice }),
    work: async (signal) => {
      const spoken = await gateway.upstreams.call(model.targets, 'speech', request, signal)
      return requireSound(spoken, responseFormat)
    },
    usage: ({ audio }) => {
      const seconds = spokenSeconds(audio, responseFormat)
      const price = speakingPrice(model, { characters, seconds }, at)
      return { costMicro: price?.micro ?? NOMINAL_MICRO, estimated: price?.exact !== true }
    },
  }
}

/** Unicode characters, not UTF-16 units: an emoji is one. */
export function countCharacters(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return count
}

/** Some upstreams answer 200 with an error page, or with another format than was asked for. */
function requireSound(spoken: Spoken, format: SpeechRequest['responseFormat']): Spoken {
  const { audio } = spoken
  const sound =
    format === 'mp3' ? audioFormat(audio) === 'mp3' : !looksLikeText(audio) && !isContainer(audio)
  if (sound) return spoken
  throw new Failure('upstream_failed', 'The model did not answer with the audio asked for.')
}

/** Raw samples have no mark of their own, and may look like a frame of MP3 or AAC by chance. */
function isContainer(audio: Buffer): boolean {
  const found = audioFormat(audio)
  const chance = (found === 'mp3' || found === 'aac') && audio[0] === 0xff
  return found !== undefined && !chance
}

function spokenSeconds(audio: Buffer, format: SpeechRequest['responseFormat']): number {
  const told = format === 'mp3' ? audioSeconds(audio, 'mp3') : undefined
  return told ?? audio.length / PCM_BYTES_PER_S
}
