import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { decimal, plus } from '../../src/lib/decimal.ts'
import { toMicro, tokenCost, type PriceList, type TokenUse } from '../../src/ledger/money.ts'

const noon = new Date('2026-11-15T12:00:00Z')
const rate = { creditsPerUsd: decimal('3000'), margin: decimal('1') }

function micro(prices: PriceList, use: TokenUse, margin = '1', at = noon): bigint {
  const cost = tokenCost(prices, use, at)
  return toMicro(plus(cost.promptUsd, cost.answerUsd), { ...rate, margin: decimal(margin) })
}

// Worked by hand: dollars × 3,000 × 1,000,000, rounded up once.
const table: [string, PriceList, TokenUse, bigint][] = [
  [
    'prompt and completion',
    { prompt: '0.0000025', completion: '0.00001' },
    { promptTokens: 100, completionTokens: 50 },
    2_250_000n, // (0.00025 + 0.0005) × 3e9
  ],
  [
    'a fraction of a microcredit is rounded up, once',
    { prompt: '0.0000000001', completion: '0.0000000001' },
    { promptTokens: 1, completionTokens: 1 },
    1n, // 0.0000000002 × 3e9 = 0.6
  ],
  ['nothing used costs nothing', { prompt: '0.1' }, { promptTokens: 0, completionTokens: 0 }, 0n],
  [
    'cached tokens at their own price',
    { prompt: '0.000003', input_cache_read: '0.0000003' },
    { promptTokens: 1_000, completionTokens: 0, cachedTokens: 900 },
    1_710_000n, // 100 × 0.000003 + 900 × 0.0000003 = 0.00057
  ],
  [
    'cached tokens without a price of their own cost as prompt',
    { prompt: '0.000003' },
    { promptTokens: 1_000, completionTokens: 0, cachedTokens: 900 },
    9_000_000n,
  ],
  [
    'cache writes',
    { prompt: '0.000003', input_cache_write: '0.00000375' },
    { promptTokens: 1_000, completionTokens: 0, cacheWriteTokens: 400 },
    9_900_000n, // 600 × 0.000003 + 400 × 0.00000375 = 0.0033
  ],
  [
    'more cached than prompted is no credit',
    { prompt: '0.000003', input_cache_read: '0.000001' },
    { promptTokens: 10, completionTokens: 0, cachedTokens: 1_000, cacheWriteTokens: 1_000 },
    30_000n,
  ],
  [
    'cache writes for an hour',
    { prompt: '0.000003', input_cache_write: '0.00000375', input_cache_write_1h: '0.000006' },
    { promptTokens: 1_000, completionTokens: 0, cacheWriteTokens: 400, cacheWrite1hTokens: 100 },
    10_575_000n, // 600 × 0.000003 + 300 × 0.00000375 + 100 × 0.000006 = 0.003525
  ],
  [
    'cache writes for an hour, without a price of their own',
    { prompt: '0.000003', input_cache_write: '0.00000375' },
    { promptTokens: 1_000, completionTokens: 0, cacheWriteTokens: 400, cacheWrite1hTokens: 900 },
    9_900_000n,
  ],
  [
    'sound that goes in',
    { prompt: '0.000001', audio: '0.00001' },
    { promptTokens: 100, completionTokens: 0, audioTokens: 40 },
    1_380_000n, // 60 × 0.000001 + 40 × 0.00001 = 0.00046
  ],
  [
    'sound that goes in, without a price of its own',
    { prompt: '0.000001' },
    { promptTokens: 100, completionTokens: 0, audioTokens: 40 },
    300_000n,
  ],
  [
    // Finding: a picture of 1,290 tokens was charged as text, 9.69 credits for 116.
    'a picture that comes out',
    { prompt: '0.0000003', completion: '0.0000025', image_output: '0.00003' },
    { promptTokens: 10, completionTokens: 1_291, imageOutputTokens: 1_290 },
    116_116_500n, // 0.000003 + 0.0000025 + 0.0387
  ],
  [
    'sound that comes out',
    { completion: '0.00001', audio_output: '0.00008' },
    { promptTokens: 0, completionTokens: 100, audioOutputTokens: 60 },
    15_600_000n, // 40 × 0.00001 + 60 × 0.00008 = 0.0052
  ],
  [
    'all kinds of an answer together',
    {
      completion: '0.000001',
      image_output: '0.00003',
      audio_output: '0.00008',
      internal_reasoning: '0.000002',
    },
    {
      promptTokens: 0,
      completionTokens: 100,
      imageOutputTokens: 10,
      audioOutputTokens: 20,
      reasoningTokens: 30,
    },
    6_000_000n, // 0.0003 + 0.0016 + 0.00006 + 0.00004 = 0.002
  ],
  [
    'classes are never more than their total',
    { completion: '0.000001', image_output: '0.00003', audio_output: '0.00008' },
    {
      promptTokens: 0,
      completionTokens: 100,
      imageOutputTokens: 80,
      audioOutputTokens: 80,
      reasoningTokens: 80,
    },
    12_000_000n, // 80 × 0.00003 + 20 × 0.00008 = 0.004
  ],
  [
    'a class that is listed at zero has no price of its own',
    { prompt: '0.000003', completion: '0.00001', internal_reasoning: '0', input_cache_read: '0' },
    { promptTokens: 10, completionTokens: 100, cachedTokens: 10, reasoningTokens: 100 },
    3_090_000n,
  ],
  [
    'reasoning at its own price',
    { completion: '0.00001', internal_reasoning: '0.00002' },
    { promptTokens: 0, completionTokens: 100, reasoningTokens: 40 },
    4_200_000n, // 60 × 0.00001 + 40 × 0.00002 = 0.0014
  ],
  [
    'more reasoning than completion never pays back',
    { completion: '0.00001', internal_reasoning: '0.00002' },
    { promptTokens: 0, completionTokens: 100, reasoningTokens: 2_590 },
    6_000_000n,
  ],
  [
    'per request and per picture',
    { request: '0.005', image: '0.001' },
    { promptTokens: 7, completionTokens: 7, images: 2 },
    21_000_000n,
  ],
  [
    'a price below zero, or unreadable, is no price',
    { prompt: '-1', completion: 'NaN' },
    { promptTokens: 1_000, completionTokens: 1_000 },
    0n,
  ],
]
for (const [name, prices, use, expected] of table) {
  test(name, () => assert.equal(micro(prices, use), expected))
}

test('the margin is part of the one rounding', () => {
  const prices = { prompt: '0.0000000001' }
  assert.equal(micro(prices, { promptTokens: 3, completionTokens: 0 }, '1.25'), 2n) // 1.125
})

test('long prompts and night prices', () => {
  const prices: PriceList = {
    prompt: '0.000001',
    overrides: [
      { min_prompt_tokens: 200_000, prices: { prompt: '0.000002' } },
      { utc_start: 2200, utc_end: 600, prices: { prompt: '0.0000005' } },
    ],
  }
  const use = (promptTokens: number) => ({ promptTokens, completionTokens: 0 })
  assert.equal(micro(prices, use(200_000)), 600_000_000n)
  assert.equal(micro(prices, use(200_001)), 1_200_006_000n)
  assert.equal(micro(prices, use(1_000), '1', new Date('2026-11-15T23:30:00Z')), 1_500_000n)
  assert.equal(micro(prices, use(1_000), '1', new Date('2026-11-15T05:59:00Z')), 1_500_000n)
  assert.equal(micro(prices, use(1_000), '1', new Date('2026-11-15T06:00:00Z')), 3_000_000n)
})

const tokens = fc.integer({ min: 0, max: 1_000_000 })
const some = fc.option(tokens, { nil: undefined })

test('whatever classes are claimed, a call costs between the cheapest and the dearest of them', () => {
  const prices: PriceList = {
    prompt: '0.000002',
    audio: '0.00001',
    input_cache_read: '0.000001',
    input_cache_write: '0.000003',
    input_cache_write_1h: '0.000004',
    completion: '0.000005',
    image_output: '0.00003',
    audio_output: '0.00008',
    internal_reasoning: '0.000006',
  }
  const claims = fc.record({
    promptTokens: tokens,
    completionTokens: tokens,
    cachedTokens: some,
    cacheWriteTokens: some,
    cacheWrite1hTokens: some,
    audioTokens: some,
    reasoningTokens: some,
    audioOutputTokens: some,
    imageOutputTokens: some,
  })
  fc.assert(
    fc.property(claims, (use) => {
      const cost = micro(prices, use)
      const [sent, said] = [BigInt(use.promptTokens), BigInt(use.completionTokens)]
      assert.ok(cost >= sent * 3_000n + said * 15_000n)
      assert.ok(cost <= sent * 30_000n + said * 240_000n)
    }),
  )
})
