import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { reserveWhole } from '../../../src/gateway/price/cost-estimate.ts'
import { callCharge } from '../../../src/gateway/price/call-charge.ts'
import { callHold } from '../../../src/gateway/price/call-hold.ts'
import { silentLog } from '../../../src/lib/log.ts'
import {
  measuredCall,
  RULES,
  TOKEN_PRICES,
  type PricedCall,
} from '../../support/models/priced-model.ts'

function hold(call: PricedCall) {
  return callHold({ ...measuredCall(call), rules: RULES })
}

// 100 tokens of prompt are 450,000 microcredits; what must be there is that and 10,000 more.
const NEED = 460_000n
const AMOUNTS: [
  what: string,
  call: PricedCall,
  answer: object | undefined,
  want: bigint,
  need: bigint,
][] = [
  ['50 tokens of answer', {}, { maxTokens: 50, choices: 1 }, 900_000n, NEED],
  ['no wish: 1,024 tokens', {}, { choices: 1 }, 9_666_000n, NEED],
  ['a huge wish is capped', {}, { maxTokens: 1_000_000, choices: 1 }, 10_450_000n, NEED],
  ['one token under the cap', {}, { maxTokens: 1_111, choices: 1 }, 10_449_000n, NEED],
  ['one token over the cap', {}, { maxTokens: 1_112, choices: 1 }, 10_450_000n, NEED],
  ['the model gives no more', { modelMax: 200 }, { maxTokens: 999, choices: 3 }, 5_850_000n, NEED],
  ['the model gives less than 1,024', { modelMax: 200 }, { choices: 1 }, 2_250_000n, NEED],
  ['no answer at all', {}, undefined, 450_000n, NEED],
  ['a free model', { free: true }, { maxTokens: 50, choices: 1 }, 0n, 0n],
  [
    'a price for the request and for two pictures',
    { prices: { request: '0.01', image: '0.001' }, images: 2 },
    { choices: 1 },
    54_000_000n,
    54_010_000n,
  ],
  [
    'a link may fill the context, in the worst case',
    { prompt: { unknown: { usualTokens: 9, mostTokens: Infinity } }, contextLength: 128_000 },
    { maxTokens: 50, choices: 1 },
    576_450_000n,
    576_010_000n,
  ],
  [
    'sound that goes in, at its own price',
    { prices: { ...TOKEN_PRICES, audio: '0.00001' }, prompt: { mediaTokens: 0, audioTokens: 92 } },
    undefined,
    4_176_000n, // 8 × 4,500 + 92 × 45,000
    4_186_000n,
  ],
  [
    'a prompt that is to be cached for an hour',
    {
      prices: { ...TOKEN_PRICES, input_cache_write: '0.000002', input_cache_write_1h: '0.000003' },
      prompt: { cacheLife: '1h' },
    },
    undefined,
    1_350_000n,
    1_360_000n,
  ],
  [
    'a cache that is cheaper than the prompt makes the hold no smaller',
    { prices: { ...TOKEN_PRICES, input_cache_write: '0.0000001' }, prompt: { cacheLife: '5m' } },
    undefined,
    450_000n,
    NEED,
  ],
  [
    'a picture for each choice must be there in full',
    { prices: { ...TOKEN_PRICES, image_output: '0.00003' } },
    { maxTokens: 50, choices: 2, pictures: true },
    1_128_600_000n, // 450,000 + 2 × 4,175 × 135,000 + 100 × 9,000
    1_127_710_000n,
  ],
  [
    'an answer that is spoken, at the price of sound',
    { prices: { ...TOKEN_PRICES, audio_output: '0.00002' } },
    { maxTokens: 50, choices: 1, audio: true },
    4_950_000n,
    NEED,
  ],
  [
    'an answer that may all be thought',
    { prices: { ...TOKEN_PRICES, internal_reasoning: '0.000004' } },
    { maxTokens: 50, choices: 1 },
    1_350_000n,
    NEED,
  ],
  [
    'what is predicted is paid for as if it were said',
    {},
    { maxTokens: 50, choices: 1, predictedBytes: 3_000 },
    9_900_000n,
    9_460_000n,
  ],
  [
    'less than a microcredit is rounded up, prompt and answer apart',
    { prices: { prompt: '0.0000000001', completion: '0.0000000001' }, promptTokens: 1 },
    { maxTokens: 1, choices: 1 },
    2n,
    10_001n,
  ],
]

for (const [what, call, answer, estimateMicro, minimumMicro] of AMOUNTS) {
  test(`what is held: ${what}`, () => {
    const held = hold(call).estimate(answer as never)
    assert.deepEqual([held.estimateMicro, held.minimumMicro], [estimateMicro, minimumMicro])
  })
}

test('a price that is known beforehand is held in full', () => {
  assert.deepEqual(reserveWhole(7n), { estimateMicro: 7n, minimumMicro: 7n })
})

const tokens = fc.integer({ min: 0, max: 1_000_000 })
const usd = fc.integer({ min: 0, max: 10_000_000 }).map((n) => (n / 1e10).toFixed(10))
const prices = fc.record({ prompt: usd, completion: usd, request: usd })

test('the answer part of a hold never exceeds the cap', () => {
  fc.assert(
    fc.property(prices, tokens, tokens, fc.integer({ min: 1, max: 128 }), (prices, n, max, k) => {
      const call = hold({ prices, promptTokens: n })
      const prompt = call.estimate()
      const { estimateMicro, minimumMicro } = call.estimate({ maxTokens: max, choices: k })
      assert.ok(estimateMicro >= prompt.estimateMicro)
      assert.ok(estimateMicro <= prompt.estimateMicro + RULES.capMicro)
      assert.equal(minimumMicro, prompt.estimateMicro + RULES.minMicro)
    }),
  )
})

test('a call within its estimate costs no more than was held, unless the cap held it down', () => {
  fc.assert(
    fc.property(prices, tokens, tokens, tokens, tokens, (prices, n, max, used, written) => {
      const call = { prices, promptTokens: n }
      const held = hold(call)
      const { estimateMicro } = held.estimate({ maxTokens: max, choices: 1 })
      const answerMicro = estimateMicro - held.estimate().estimateMicro
      fc.pre(answerMicro < RULES.capMicro)
      const usage = { promptTokens: Math.min(used, n), completionTokens: Math.min(written, max) }
      const charge = callCharge({ ...measuredCall(call), log: silentLog })
      const { costMicro } = charge({ kind: 'reported', usage }, { outputBytes: 0 })
      assert.ok(costMicro <= estimateMicro)
    }),
  )
})
