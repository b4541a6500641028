import type { PageLanguage } from './bundle.ts'

/** The price list as JSON text, and its ETag. */
export type ShownPrices = { json: string; etag: string }

/** Marks the place of the table in the built page: inside `noscript`, for readers without scripts. */
export const PRICES_MARK = '%prices%'

type Priced = { id: string; name: string; pricing_credits: { tiers?: Tier[] } }
type Tier = { above_prompt_tokens?: number }

/** The API's price keys in units that people read: how many, and their names. */
const UNITS: Record<string, { times: number } & Record<PageLanguage, string>> = {
  prompt: { times: 1e6, sw: 'tokeni milioni unazotuma', en: 'million tokens sent' },
  completion: { times: 1e6, sw: 'tokeni milioni unazopokea', en: 'million tokens received' },
  image: { times: 1, sw: 'picha', en: 'picture' },
  audio_second: { times: 60, sw: 'dakika', en: 'minute' },
  audio_minute: { times: 1, sw: 'dakika', en: 'minute' },
  audio_hour: { times: 1 / 60, sw: 'dakika', en: 'minute' },
  character: { times: 1000, sw: 'herufi 1,000', en: '1,000 characters' },
  video_second: { times: 1, sw: 'sekunde ya video', en: 'second of video' },
  request: { times: 1, sw: 'ombi', en: 'request' },
}

const HEADS = { sw: ['Modeli', 'Bei kwa krediti'], en: ['Model', 'Price in credits'] }

export function priceTable({ json }: ShownPrices, language: PageLanguage): string {
  const models = JSON.parse(json) as Priced[]
  const [model, price] = HEADS[language]
  const rows = models.map(
    (one) =>
      `<tr><th scope="row">${escape(one.name)}<br><code>${escape(one.id)}</code></th>` +
      `<td>${linesOf(one, language).join('<br>')}</td></tr>`,
  )
  return `<table><thead><tr><th scope="col">${model}</th><th scope="col">${price}</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function linesOf({ pricing_credits }: Priced, language: PageLanguage): string[] {
  const { tiers = [], ...prices } = pricing_credits
  return [
    ...unitsOf(prices, language),
    ...tiers.flatMap((tier) => [TIER[language](tier), ...unitsOf(tier, language)]),
  ]
}

const TIER = {
  sw: ({ above_prompt_tokens: above }: Tier) =>
    above === undefined
      ? 'Kwa saa fulani:'
      : `Ukituma zaidi ya tokeni ${above.toLocaleString('en')}:`,
  en: ({ above_prompt_tokens: above }: Tier) =>
    above === undefined
      ? 'At some hours:'
      : `If you send more than ${above.toLocaleString('en')} tokens:`,
}

function unitsOf(prices: object, language: PageLanguage): string[] {
  return Object.entries(prices).flatMap(([key, credits]: [string, number]) => {
    const unit = UNITS[key]
    if (unit === undefined || credits === 0) return []
    const amount = (credits * unit.times).toLocaleString('en', { maximumSignificantDigits: 4 })
    return [`${amount} / ${unit[language]}`]
  })
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
