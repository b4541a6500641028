import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { callCharge } from '../../../src/gateway/price/call-charge.ts'
import { callHold, type AnswerWish } from '../../../src/gateway/price/call-hold.ts'
import { boundPromptTokens, EMPTY_PROMPT } from '../../../src/gateway/price/prompt-size.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Pricing } from '../../../src/catalog/model-record.ts'
import { pricedModel, RULES, TOKEN_PRICES } from '../../support/models/priced-model.ts'

/* What a call may come to cost, and how many tokens a limit pays for. */

const AT = new Date(0)
const IN = 4_500n
const OUT = 9_000n

function call(prices: Pricing = TOKEN_PRICES) {
  return {
    model: pricedModel({ prices, maxOutputTokens: 4_000, contextLength: 100_000 }),
    prompt: { ...EMPTY_PROMPT, textBytes: 992 },
    at: AT,
  }
}

function hold({ prices, boundText }: { prices?: Pricing; boundText?: () => number } = {}) {
  return callHold({ ...call(prices), boundText, rules: RULES })
}

const wish = (more: Partial<AnswerWish> = {}): AnswerWish => ({
  maxTokens: undefined,
  choices: 1,
  growing: true,
  ...more,
})

test('a prompt is bounded by a token for each byte, and by what the model reads', () => {
  assert.equal(boundPromptTokens({ ...EMPTY_PROMPT, textBytes: 992 }, undefined), 1_000)
  assert.equal(boundPromptTokens({ ...EMPTY_PROMPT, textBytes: 992 }, 600), 600)
  assert.equal(boundPromptTokens({ ...EMPTY_PROMPT, textBytes: 992 }, undefined, 300), 308)
  const unknown = { usualTokens: 10, mostTokens: Infinity }
  assert.equal(boundPromptTokens({ ...EMPTY_PROMPT, textBytes: 992, unknown }, 50_000), 50_000)
})

test('media of unknown size: the worst case, and the usual one with what is certain', () => {
  const unknown = { usualTokens: 2_000, mostTokens: Infinity }
  const prompt = { ...call().prompt, unknown }
  const held = callHold({ ...call(), prompt, boundText: () => 392, rules: RULES })
  const { bounds, usual, exact } = held.estimate(wish())
  assert.equal(bounds!.committedMicro, 100_000n * IN)
  assert.deepEqual(usual, {
    estimateMicro: (8n + 331n + 2_000n) * IN + 1_024n * OUT,
    promptMicro: (8n + 331n + 2_000n) * IN + 10_000n,
    minimumMicro: (8n + 331n) * IN + 10_000n,
    certainMicro: 1_000n * IN,
    bounds: {
      committedMicro: 3_000n * IN,
      minimumMicro: 1_000n * IN + 10_000n,
      initialLimitMicro: 3_000n * IN + 10_000_000n,
      worstCaseMicro: 3_000n * IN + 4_000n * OUT,
      fixed: true,
      rough: true,
    },
    anySize: true,
  })
  const closer = exact!().usual!
  assert.deepEqual([closer.certainMicro, closer.bounds.rough], [400n * IN, false])
  assert.equal(closer.bounds.committedMicro, 2_400n * IN)
  assert.equal(closer.bounds.minimumMicro, 400n * IN + 10_000n)
})

test('without a limit of the caller the worst case is all that the model can say', () => {
  const { bounds } = hold().estimate(wish())
  assert.deepEqual(bounds, {
    committedMicro: 1_000n * IN,
    minimumMicro: 1_000n * IN + 10_000n,
    initialLimitMicro: 1_000n * IN + 10_000_000n,
    worstCaseMicro: 1_000n * IN + 4_000n * OUT,
    fixed: false,
    rough: false,
  })
})

test('with one it is that, for each choice, and what cannot be watched is fixed', () => {
  const answer = wish({ maxTokens: 100, hardLimit: 100, choices: 3, growing: false })
  const { bounds } = hold().estimate(answer)
  assert.equal(bounds!.worstCaseMicro, 1_000n * IN + 300n * OUT)
  assert.equal(bounds!.minimumMicro, 1_000n * IN + 3n * OUT)
  assert.equal(bounds!.fixed, true)
})

test('a closer look at the text lowers the bounds, and is taken only when asked for', () => {
  let looks = 0
  const boundText = () => {
    looks += 1
    return 391.2
  }
  const { bounds, exact } = hold({ boundText }).estimate(wish())
  assert.deepEqual([bounds!.rough, looks], [true, 0])
  const closer = exact!().bounds!
  assert.deepEqual([closer.committedMicro, closer.rough, looks], [400n * IN, false, 1])
})

test('the dearest kind of token and the dearest length of the prompt count', () => {
  const prices = {
    ...TOKEN_PRICES,
    internal_reasoning: '0.000004',
    overrides: [{ min_prompt_tokens: 500, prices: { completion: '0.00001' } }],
  }
  const { bounds } = hold({ prices }).estimate(wish({ hardLimit: 100 }))
  assert.equal(bounds!.worstCaseMicro - bounds!.committedMicro, 100n * 45_000n)
  const drawn = hold({ prices: { ...TOKEN_PRICES, image_output: '0.00003' } })
  const picture = drawn.estimate(wish({ pictures: true })).bounds!
  assert.equal(picture.minimumMicro - picture.committedMicro, 4_175n * 135_000n)
})

test('what was predicted is sure to be paid for', () => {
  const answer = wish({ predictedBytes: 500, boundPredicted: () => 200 })
  const { bounds, exact } = hold({ boundText: () => 392 }).estimate(answer)
  assert.equal(bounds!.committedMicro, 1_000n * IN + 500n * OUT)
  assert.equal(exact!().bounds!.committedMicro, 400n * IN + 200n * OUT)
})

test('an answer of as many tokens as a limit pays for costs no more than the limit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.nat(3), (extra, index) => {
      const completion = ['0.000002', '0.0000000333', '0.00001', '0.000000001'][index]!
      const prices = { prompt: '0.000001', completion }
      const held = hold({ prices })
      const answer = wish()
      const { bounds } = held.estimate(answer)
      const limit = bounds!.minimumMicro + extra
      const tokens = held.affordable(limit, bounds!, answer)
      const usage = { promptTokens: 1_000, completionTokens: tokens }
      const charge = callCharge({ ...call(prices), log: silentLog })
      const cost = charge({ kind: 'reported', usage }, { outputBytes: 0 }).costMicro
      assert.ok(tokens >= 1 && cost <= limit + 1n, `${tokens} tokens cost ${cost} of ${limit}`)
    }),
  )
})
