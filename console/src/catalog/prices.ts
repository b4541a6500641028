import { words } from '../words/language.tsx'
import type { Model } from './models.ts'

type PriceUnit = keyof typeof UNITS
export type PriceLine = { unit: PriceUnit; credits: number }

type Prices = Omit<Model['pricing_credits'], 'tiers'>
export type PriceKey = keyof Prices
export type Tier = NonNullable<Model['pricing_credits']['tiers']>[number]

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
export function priceLines(
  { pricing_credits, output_modalities: outputs }: Model,
  prices: Prices = pricing_credits,
): PriceLine[] {
  const lines: PriceLine[] = []
  for (const [unit, { keys }] of Object.entries(UNITS) as [
    PriceUnit,
    { keys: Partial<Record<PriceKey, number>> },
  ][]) {
    // A price per picture that a model reads is not the price of a picture that it makes.
    if (unit === 'picture' && !outputs.includes('image')) continue
    for (const [key, times] of Object.entries(keys) as [PriceKey, number][]) {
      const price = prices[key] ?? 0
      if (price === 0) continue
      lines.push({ unit, credits: price * times })
      break
    }
  }
  return lines
}

/** As they are charged for a call with so long a prompt: of the tiers that apply, a later one wins. */
export function pricesFor(
  { pricing_credits: { tiers = [], ...plain } }: Pick<Model, 'pricing_credits'>,
  promptTokens: number,
  at = new Date(),
): Prices {
  return Object.assign(plain, ...tiers.filter((tier) => applies(tier, promptTokens, at))) as Prices
}

function applies(tier: Tier, promptTokens: number, at: Date): boolean {
  const { above_prompt_tokens: above, utc_start: start, utc_end: end, utc_days: days } = tier
  if (above !== undefined && promptTokens <= above) return false
  if (days !== undefined && !days.includes(at.getUTCDay())) return false
  if (start === undefined || end === undefined) return true
  const now = at.getUTCHours() * 100 + at.getUTCMinutes()
  return start <= end ? start <= now && now < end : now >= start || now < end
}

/** Only to order models of one kind by: their units are the same. */
export function byPrice(one: Priced, other: Priced): number {
  return sumOf(one) - sumOf(other) || one.id.localeCompare(other.id)
}

type Priced = Pick<Model, 'id' | 'pricing_credits'>

function sumOf({ pricing_credits: { tiers: _tiers, ...prices } }: Priced): number {
  return Object.values(prices).reduce<number>((sum, price) => sum + (price ?? 0), 0)
}

/** When a tier applies, in words. */
export function conditionOf(
  tier: Tier,
  words: (typeof priceWords)['sw'],
  number: (value: number) => string,
): string {
  const { above_prompt_tokens: above, utc_start: start, utc_end: end, utc_days: days } = tier
  return [
    above === undefined ? [] : words.above(number(above)),
    start === undefined || end === undefined ? [] : words.hours(clock(start), clock(end)),
    days === undefined ? [] : days.map((day) => words.weekdays[day]).join(', '),
  ]
    .flat()
    .join(' · ')
}

/** 930 is 09:30. */
const clock = (time: number) => String(time).padStart(4, '0').replace(/..$/, ':$&')

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
    above: (tokens: string) => `Ukituma zaidi ya tokeni ${tokens}`,
    hours: (from: string, to: string) => `Saa ${from} hadi ${to} UTC`,
    weekdays: ['Jumapili', 'Jumatatu', 'Jumanne', 'Jumatano', 'Alhamisi', 'Ijumaa', 'Jumamosi'],
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
    above: (tokens) => `If you send more than ${tokens} tokens`,
    hours: (from, to) => `From ${from} to ${to} UTC`,
    weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  },
})
