import type { Model } from '../../../catalog/models.ts'
import { pricesFor, type PriceKey } from '../../../catalog/prices.ts'

/**
 * Guesses, to be shown before a call with "≈". What a call has cost is only ever read from the
 * ledger.
 */
const ANSWER_TOKENS = 400
const SPOKEN_TOKENS = 120
const SPOKEN_CHARACTERS = 350

type Size = { text: string; extraTokens?: number; mostTokens?: number | undefined }

export function textEstimate(model: Model | undefined, size: Size): number | undefined {
  if (model === undefined) return undefined
  const sent = tokensOf(size.text) + (size.extraTokens ?? 0)
  const received = Math.min(size.mostTokens ?? ANSWER_TOKENS, ANSWER_TOKENS)
  const { prompt = 0, completion = 0, request = 0 } = pricesFor(model, sent)
  return sent * prompt + received * completion + request
}

export function speechEstimate(model: Model | undefined, text: string): number | undefined {
  if (model === undefined) return undefined
  const letters = Array.from(text).length
  return letters * priceOf(model, 'character') + tokensOf(text) * priceOf(model, 'prompt')
}

export function hearingEstimate(model: Model | undefined, seconds: number): number | undefined {
  if (model === undefined) return undefined
  const perSecond =
    priceOf(model, 'audio_second') ||
    priceOf(model, 'audio_minute') / 60 ||
    priceOf(model, 'audio_hour') / 3_600 ||
    priceOf(model, 'prompt') * 10 + priceOf(model, 'completion') * 4
  return seconds * perSecond
}

type VoiceModels = Record<'hearing' | 'text' | 'speech', Model | undefined>

export function voiceEstimate(models: VoiceModels, seconds: number): number | undefined {
  const parts = [
    hearingEstimate(models.hearing, seconds),
    textEstimate(models.text, {
      text: '',
      extraTokens: 150 + seconds * 4,
      mostTokens: SPOKEN_TOKENS,
    }),
    speechEstimate(models.speech, '.'.repeat(SPOKEN_CHARACTERS)),
  ]
  return parts.reduce<number | undefined>(
    (sum, part) => (sum === undefined || part === undefined ? undefined : sum + part),
    0,
  )
}

export function pictureEstimate(model: Model | undefined, count: number): number | undefined {
  if (model === undefined) return undefined
  const each = priceOf(model, 'image') || priceOf(model, 'image_output') * 1_290
  return count * each
}

export function videoEstimate(model: Model | undefined, seconds: number): number | undefined {
  return model && (seconds * priceOf(model, 'video_second') || priceOf(model, 'request'))
}

/** About three bytes a token, as the service guesses too. */
const tokensOf = (text: string) => Math.ceil(new TextEncoder().encode(text).length / 3)

const priceOf = ({ pricing_credits: prices }: Model, key: PriceKey) => prices[key] ?? 0
