import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal, plus } from '../../src/lib/decimal.ts'
import { toMicro, tokenCost, type PriceList, type TokenUse } from '../../src/billing/money.ts'

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
    { prompt: '0.000003', input_cache_read: '0' },
    { promptTokens: 10, completionTokens: 0, cachedTokens: 1_000, cacheWriteTokens: 1_000 },
    0n,
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
