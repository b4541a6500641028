import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import type { PricedModel } from '../../../src/catalog/catalog.ts'
import { viewModel, type ModelView } from '../../../src/catalog/view.ts'
import { callCharge } from '../../../src/gateway/price/call-charge.ts'
import { EMPTY_PROMPT } from '../../../src/gateway/price/prompt-size.ts'
import { speechPrice, transcriptionPrice } from '../../../src/gateway/price/voice-price.ts'
import { toMicro } from '../../../src/ledger/money.ts'
import { ceilTo, decimal, plainDecimal, times, timesDecimals } from '../../../src/lib/decimal.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { imagePriceUsd, videoPriceUsd } from '../../../src/upstream/prices/media-price.ts'
import { startApp } from '../../support/app.ts'
import { customersSum } from '../../support/money/customers-sum.ts'

/* What is shown, times what is used, is what is charged, rounded up once. */

const HEKIMA = SIMULATED_MODELS.find(({ id }) => id === 'sim/hekima')!
const CHANGING = {
  ...HEKIMA,
  id: 'sim/hubadilika',
  pricing: {
    ...HEKIMA.pricing,
    // No price of their own.
    input_cache_read: '0',
    internal_reasoning: '0',
    overrides: [
      { min_prompt_tokens: 1_000, prompt: '0.000003', input_cache_write: '0' },
      { min_prompt_tokens: 100_000, completion: '0.00002', image: '0.001' },
      { utc_start: 800, utc_end: 1_630, prompt: '0.000001' },
    ],
  },
}

let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  app = await startApp({ env: { PRICE_MARGIN: '1.37' }, simulator: { models: [CHANGING] } })
})
after(() => app.close())

const micro = (usd: string, { creditsPerUsd }: PricedModel) =>
  ceilTo(times(decimal(usd), creditsPerUsd), 6)
const part = (of: number) => fc.nat(Math.floor(of))
const uses = fc
  .constantFrom(0, 7, 999, 1_000, 1_001, 99_999, 200_000, 200_001, 1_000_000)
  .chain((prompt) =>
    fc.nat(70_000).chain((answer) =>
      fc.record({
        prompt: fc.constant(prompt),
        answer: fc.constant(answer),
        cached: part(prompt / 3),
        written: part(prompt / 3),
        sound: part(prompt / 3),
        thought: part(answer / 2),
        drawn: part(answer / 2),
        pictures: fc.nat(3),
      }),
    ),
  )
const moments = fc.nat(24 * 60 - 1).map((minute) => new Date(minute * 60_000))

function byTokens(model: PricedModel, view: ModelView): void {
  fc.assert(
    fc.property(uses, moments, (asked, at) => {
      // Of a model that draws, `image` is the price of a picture that it makes.
      const use = model.outputModalities.includes('image') ? { ...asked, pictures: 0 } : asked
      const prompt = { ...EMPTY_PROMPT, imageCount: use.pictures }
      const usage = {
        promptTokens: use.prompt,
        completionTokens: use.answer,
        cachedTokens: use.cached,
        cacheWriteTokens: use.written,
        audioTokens: use.sound,
        reasoningTokens: use.thought,
        imageOutputTokens: use.drawn,
      }
      const charge = callCharge({ model, prompt, at, log: silentLog })
      const { costMicro } = charge({ kind: 'reported', usage }, { outputBytes: 0 })
      assert.equal(costMicro, micro(customersSum(view, use, at), model))
    }),
  )
}

/** Its unit's price in the list, and the charge for so many of them. */
function byUnits(model: PricedModel, view: ModelView): void {
  const [output] = model.outputModalities
  const { audio_second = '0', character = '0', image = '0', video_second = '0' } = view.pricing
  const at = new Date()
  const sent = { textTokens: 0, referenceTokens: 0, references: 0 }
  const record = { pricing: model.prices, video: undefined }
  const ways: Record<string, [price: string, (n: number) => bigint | undefined]> = {
    transcription: [audio_second, (seconds) => transcriptionPrice(model, { seconds }, at)],
    speech: [
      character,
      (characters) => speechPrice(model, { characters, seconds: 1, textBytes: 0 }, at)?.micro,
    ],
    image: [image, (n) => toMicro(decimal(imagePriceUsd(record, n, {}, sent)!), model)],
    video: [
      video_second,
      (duration) => toMicro(decimal(videoPriceUsd(record, { duration })!), model),
    ],
  }
  const [price, charge] = ways[output!]!
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 3_000 }), (count) => {
      assert.equal(charge(count), micro(timesDecimals(price, String(count)), model))
    }),
  )
}

test('the shown price times the use is the charge, for every model of the list', () => {
  const { models } = app.rooms.catalog.index()
  const shown = models.filter(({ priced }) => priced === 'paid')
  assert.ok(shown.length > 10)
  for (const one of shown) {
    const model = app.rooms.catalog.requireModel(one.id)
    const view = viewModel(one)
    if (view.pricing.prompt === undefined) byUnits(model, view)
    else byTokens(model, view)
  }
})

test('credits and dollars are the same prices', () => {
  for (const one of app.rooms.catalog.index().models) {
    const { pricing, pricing_credits: credits } = viewModel(one)
    const lists = [[pricing, credits] as const, ...(pricing.tiers ?? []).map(pairOf)]
    function pairOf(tier: object, i: number) {
      return [tier, credits.tiers![i]!] as const
    }
    for (const [usd, inCredits] of lists) {
      assert.deepEqual(Object.keys(inCredits), Object.keys(usd))
      for (const [key, price] of Object.entries(usd)) {
        if (typeof price !== 'string') continue
        const shown = plainDecimal((inCredits as Record<string, unknown>)[key])
        assert.equal(shown, plainDecimal(timesDecimals(price, '3000')), `${one.id} ${key}`)
      }
    }
  }
})
