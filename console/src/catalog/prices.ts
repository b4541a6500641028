import { words } from '../words/language.tsx'
import type { Model } from './models.ts'

type PriceUnit = keyof typeof UNITS
export type PriceLine = { unit: PriceUnit; credits: number }

/** Each price in a unit that gives one to four digits: the API's key, and how many of its units. */
const UNITS = {
  input: { keys: { prompt: 1_000_000 } },
  output: { keys: { completion: 1_000_000 } },
  picture: { keys: { image: 1 } },
  pictureTokens: { keys: { image_output: 1_000_000 } },
  minute: { keys: { audio_minute: 1, audio_second: 60, audio_hour: 1 / 60 } },
  letters: { keys: { character: 1_000 } },
  videoSecond: { keys: { video_second: 1 } },
  request: { keys: { request: 1 } },
} as const

/** The prices that people compare; caches and other details are in the API's answer. */
export function priceLines({
  pricing_credits: prices,
  output_modalities: outputs,
}: Model): PriceLine[] {
  const lines: PriceLine[] = []
  for (const [unit, { keys }] of Object.entries(UNITS) as [
    PriceUnit,
    { keys: Record<string, number> },
  ][]) {
    // A price per picture that a model reads is not the price of a picture that it makes.
    if (unit === 'picture' && !outputs.includes('image')) continue
    const found = Object.entries(keys).find(([key]) => prices[key] !== undefined && prices[key] > 0)
    if (found !== undefined) lines.push({ unit, credits: prices[found[0]]! * found[1] })
  }
  return lines
}

export const priceWords = words({
  sw: {
    free: 'Bure',
    input: 'kwa tokeni milioni unazotuma',
    output: 'kwa tokeni milioni unazopokea',
    picture: 'kwa picha',
    pictureTokens: 'kwa tokeni milioni za picha',
    minute: 'kwa dakika',
    letters: 'kwa herufi 1,000',
    videoSecond: 'kwa sekunde ya video',
    request: 'kwa ombi',
  },
  en: {
    free: 'Free',
    input: 'per million tokens sent',
    output: 'per million tokens received',
    picture: 'per picture',
    pictureTokens: 'per million picture tokens',
    minute: 'per minute',
    letters: 'per 1,000 characters',
    videoSecond: 'per second of video',
    request: 'per request',
  },
})
