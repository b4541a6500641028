import type { Model } from '../../catalog/models.ts'
import { pricesFor } from '../../catalog/prices.ts'

export type Day = { messages: number; minutes: number; pictures: number }
export type Month = { part: keyof Day; credits: number }[]

export const MESSAGE_TOKENS = { input: 200, output: 400 }
const DAYS = 30

/** What thirty such days would cost at list prices. A part without a priced model is left out. */
export function monthOf(day: Day, chosen: Model | undefined, models: readonly Model[]): Month {
  const rates: Record<keyof Day, number | undefined> = {
    messages: chosen && messageCredits(chosen),
    minutes: least(models.map(minuteCredits)),
    pictures: least(models.map(pictureCredits)),
  }
  return (Object.keys(rates) as (keyof Day)[])
    .filter((part) => rates[part] !== undefined)
    .map((part) => ({ part, credits: rates[part]! * day[part] * DAYS }))
}

export const isPricedChat = (model: Model) =>
  model.output_modalities.includes('text') && !model.is_free && messageCredits(model) !== undefined

/** The cheapest first. */
export const byPrice = (one: Model, other: Model) =>
  (messageCredits(one) ?? 0) - (messageCredits(other) ?? 0)

function messageCredits(model: Model): number | undefined {
  const { prompt, completion } = pricesFor(model, MESSAGE_TOKENS.input)
  if (prompt === undefined || completion === undefined) return undefined
  return prompt * MESSAGE_TOKENS.input + completion * MESSAGE_TOKENS.output
}

function minuteCredits({
  pricing_credits: prices,
  output_modalities: outputs,
}: Model): number | undefined {
  if (!outputs.includes('transcription')) return undefined
  if (prices['audio_minute'] !== undefined) return prices['audio_minute']
  if (prices['audio_second'] !== undefined) return prices['audio_second'] * 60
  return prices['audio_hour'] === undefined ? undefined : prices['audio_hour'] / 60
}

function pictureCredits({
  pricing_credits: prices,
  output_modalities: outputs,
}: Model): number | undefined {
  return outputs.includes('image') && !outputs.includes('text') ? prices['image'] : undefined
}

/** The cheapest model of a kind that is not free. */
function least(prices: (number | undefined)[]): number | undefined {
  const known = prices.filter((price) => price !== undefined && price > 0) as number[]
  return known.length === 0 ? undefined : Math.min(...known)
}
