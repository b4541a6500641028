import type { ModelView } from '../../../src/catalog/view.ts'
import { addDecimals, timesDecimals } from '../../../src/lib/decimal.ts'

type Use = {
  prompt: number
  cached: number
  written: number
  sound: number
  pictures: number
  answer: number
  thought: number
  drawn: number
}

/** What a customer who reads the price list expects a call to cost, in dollars. */
export function customersSum({ pricing }: ModelView, use: Use, at: Date): string {
  const { tiers = [], ...plain } = pricing
  const prices = Object.assign({}, plain, ...tiers.filter((tier) => applies(tier, use.prompt, at)))
  const parts: [string | undefined, number][] = [
    [prices.request, 1],
    [prices.image, use.pictures],
    [prices.prompt, use.prompt - use.cached - use.written - use.sound],
    [prices.input_cache_read ?? prices.prompt, use.cached],
    [prices.input_cache_write ?? prices.prompt, use.written],
    [prices.audio ?? prices.prompt, use.sound],
    [prices.completion, use.answer - use.thought - use.drawn],
    [prices.internal_reasoning ?? prices.completion, use.thought],
    [prices.image_output ?? prices.completion, use.drawn],
  ]
  return parts
    .map(([price = '0', count]) => timesDecimals(price, String(count)))
    .reduce((sum, part) => addDecimals(sum, part))
}

type Tier = NonNullable<ModelView['pricing']['tiers']>[number]

function applies(tier: Tier, promptTokens: number, at: Date): boolean {
  const { above_prompt_tokens: above = -1, utc_start: start, utc_end: end } = tier
  const now = at.getUTCHours() * 100 + at.getUTCMinutes()
  const inTime = start === undefined || end === undefined || (start <= now && now < end)
  return promptTokens > above && inTime
}
