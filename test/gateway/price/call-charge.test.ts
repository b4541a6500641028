import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { callCharge } from '../../../src/gateway/price/call-charge.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { UsageReading } from '../../../src/upstream/contract/usage.ts'
import { measuredCall, TOKEN_PRICES, type PricedCall } from '../../support/models/priced-model.ts'

function charge(call: PricedCall = {}, log = silentLog) {
  return callCharge({ ...measuredCall(call), log })
}

const ABSENT: UsageReading = { kind: 'absent' }
const UNUSABLE: UsageReading = { kind: 'unusable', reason: 'negative' }
const reported = (usage: object): UsageReading => ({ kind: 'reported', usage })

type Cost = [micro: bigint, prompt: number, completion: number, estimated: boolean]
// Ten bytes of answer are estimated at 4 tokens.
const COSTS: [what: string, call: PricedCall, reading: UsageReading, Cost][] = [
  [
    'as reported',
    {},
    reported({ promptTokens: 10, completionTokens: 50 }),
    [495_000n, 10, 50, false],
  ],
  [
    'an explicit zero is zero',
    {},
    reported({ promptTokens: 0, completionTokens: 0 }),
    [0n, 0, 0, false],
  ],
  ['nothing reported: estimated', {}, ABSENT, [486_000n, 100, 4, true]],
  ['nothing to be believed: estimated', {}, UNUSABLE, [486_000n, 100, 4, true]],
  ['only the prompt reported', {}, reported({ promptTokens: 7 }), [67_500n, 7, 4, true]],
  ['only the answer reported', {}, reported({ completionTokens: 1 }), [459_000n, 100, 1, true]],
  [
    'cached tokens at their own price',
    { prices: { ...TOKEN_PRICES, input_cache_read: '0.0000001' } },
    reported({ promptTokens: 100, completionTokens: 0, cachedTokens: 60 }),
    [207_000n, 100, 0, false],
  ],
  [
    'rounded up once, not for each part',
    { prices: { prompt: '0.0000000001', completion: '0.0000000001' } },
    reported({ promptTokens: 1, completionTokens: 1 }),
    [1n, 1, 1, false],
  ],
  ['a free model', { free: true, prices: {} }, ABSENT, [0n, 100, 4, true]],
  [
    'a picture, as the upstream counted it',
    { prices: { ...TOKEN_PRICES, image_output: '0.00003' } },
    reported({ promptTokens: 0, completionTokens: 1_300, imageOutputTokens: 1_290 }),
    [174_240_000n, 0, 1_300, false],
  ],
  [
    'what is cached for an hour at request, though it is not told apart',
    {
      prices: { ...TOKEN_PRICES, input_cache_write: '0.000002', input_cache_write_1h: '0.000003' },
      prompt: { cacheLife: '1h' },
    },
    reported({ promptTokens: 100, completionTokens: 0, cacheWriteTokens: 100 }),
    [1_350_000n, 100, 0, false],
  ],
  [
    'sound that is not told apart: what nothing else explains',
    { prices: { ...TOKEN_PRICES, audio: '0.00001' }, prompt: { mediaTokens: 0, audioTokens: 92 } },
    reported({ promptTokens: 50, completionTokens: 0 }),
    [1_926_000n, 50, 0, false], // 8 × 4,500 + 42 × 45,000
  ],
  [
    'the pictures of the prompt',
    { prices: { image: '0.001' }, images: 2 },
    reported({ promptTokens: 1, completionTokens: 1 }),
    [9_000_000n, 1, 1, false],
  ],
]

for (const [what, call, reading, [costMicro, promptTokens, completionTokens, estimated]] of COSTS) {
  test(`what is charged: ${what}`, () => {
    const { upstreamCost, ...usage } = charge(call)(reading, { outputBytes: 10 })
    assert.deepEqual(usage, {
      costMicro,
      promptTokens,
      completionTokens,
      estimated,
    })
    assert.equal(upstreamCost!.basis, estimated ? 'estimated' : 'list')
    // At this rate a nano-dollar is 4.5 microcredits; both are rounded up.
    const doubled = upstreamCost!.nusd * 9n
    assert.ok(costMicro * 2n <= doubled + 1n && costMicro * 2n > doubled - 9n)
  })
}

test('what the upstream says it cost is what it cost us, whatever is charged', () => {
  const usage = { promptTokens: 10, completionTokens: 5 }
  const plain = charge()(reported(usage), { outputBytes: 10 })
  const told = charge()(reported({ ...usage, costUsd: '0.0000000012' }), { outputBytes: 10 })
  assert.equal(told.costMicro, plain.costMicro)
  assert.deepEqual(told.upstreamCost, { nusd: 2n, basis: 'reported' })
})

test('pictures that nobody counted are not free', () => {
  const usage = charge({ prices: { ...TOKEN_PRICES, image_output: '0.00003' } })
  const output = { outputBytes: 30, pictures: 2 }
  // 100 of prompt, 10 of text, and 2 × 4,175 of pictures at 135,000.
  assert.equal(usage(ABSENT, output).costMicro, 450_000n + 90_000n + 1_127_250_000n)
  // Counted, but not told apart from the text.
  const whole = reported({ promptTokens: 0, completionTokens: 1_300 })
  assert.equal(usage(whole, output).costMicro, 90_000n + 1_290n * 135_000n)
})

test('usage that cannot be believed is logged, usage that is absent is not', () => {
  const lines: unknown[] = []
  const log = { ...silentLog, warn: (_message: string, fields?: object) => void lines.push(fields) }
  charge({}, log)(ABSENT, { outputBytes: 0 })
  assert.deepEqual(lines, [])
  charge({}, log)(UNUSABLE, { outputBytes: 0 })
  const model = 'test/model'
  assert.deepEqual(lines.splice(0), [{ model, reason: 'negative' }])
  const unknown = ['search_requests', '?']
  charge({}, log)({ kind: 'reported', usage: {}, bad: 'absurd', unknown }, { outputBytes: 0 })
  assert.deepEqual(lines, [
    { model, reason: 'absurd' },
    { model, reason: 'search_requests ?' },
  ])
})

test('what has no price is settled by the reported cost, else at the dearest price', () => {
  const call = charge({ prices: { ...TOKEN_PRICES, audio_output: '0.00001' } })
  const cost = (more: object) => {
    const usage = { promptTokens: 100, completionTokens: 0, ...more }
    return call(reported(usage), { outputBytes: 0 }).costMicro
  }
  // 100 of the prompt are 450,000; a hundred of the dearest 4,500,000.
  assert.equal(cost({ unknownTokens: 100 }), 450_000n + 4_500_000n)
  assert.equal(cost({ unknownPromptTokens: 100 }), 4_500_000n)
  assert.equal(cost({ unknownTokens: 100, costUsd: '0.0004' }), 1_800_000n)
  assert.equal(cost({ unknownTokens: 100, costUsd: '0' }), 450_000n)
  assert.equal(cost({ unknownTokens: 100, costUsd: '900' }), 450_000n + 4_500_000n)
  assert.equal(cost({ unknownUnits: 3 }), 450_000n + 135_000n)
  // No more than a small sum, or ten times the rest: it may be a time, or cents.
  assert.equal(cost({ unknownUnits: 1_000_000 }), 450_000n + 13_500_000n)
  assert.equal(
    charge({ free: true, prices: {} })(
      reported({ promptTokens: 1, completionTokens: 1, unknownTokens: 9, costUsd: '0.001' }),
      { outputBytes: 0 },
    ).costMicro,
    0n,
  )
})

test('prices by the length of a prompt go by the longest one, not by their sum', () => {
  const overrides = [{ min_prompt_tokens: 200, prices: { prompt: '0.00001' } }]
  const call = charge({ prices: { ...TOKEN_PRICES, overrides } })
  const cost = (longestPromptTokens: number) =>
    call(reported({ promptTokens: 300, completionTokens: 0, longestPromptTokens }), {
      outputBytes: 0,
    }).costMicro
  assert.equal(cost(150), 300n * 4_500n)
  assert.equal(cost(250), 300n * 45_000n)
})

test('an answer that the money ended is charged at no fewer tokens than it had', () => {
  const output = { outputBytes: 300, boundTokens: 280 }
  const line = charge()(reported({ promptTokens: 900 }), output)
  assert.deepEqual([line.promptTokens, line.completionTokens, line.estimated], [900, 280, true])
  assert.equal(line.costMicro, 900n * 4_500n + 280n * 9_000n)
})

const tokens = fc.integer({ min: 0, max: 1_000_000 })
const usd = fc.integer({ min: 0, max: 10_000_000 }).map((n) => (n / 1e10).toFixed(10))
const prices = fc.record({ prompt: usd, completion: usd, request: usd })

test('more tokens never cost less', () => {
  fc.assert(
    fc.property(prices, tokens, tokens, tokens, tokens, (prices, p, c, moreP, moreC) => {
      const usage = charge({ prices })
      const cost = (promptTokens: number, completionTokens: number) =>
        usage(reported({ promptTokens, completionTokens }), { outputBytes: 0 }).costMicro
      assert.ok(cost(p + moreP, c + moreC) >= cost(p, c))
    }),
  )
})

test('what a paid model did not report is never free', () => {
  const paid = usd.filter((text) => Number(text) > 0)
  fc.assert(
    fc.property(
      paid,
      paid,
      fc.integer({ min: 0, max: 1e6 }),
      tokens,
      (prompt, completion, b, o) => {
        const call = charge({ prices: { prompt, completion }, prompt: { textBytes: b } })
        const usage = call(ABSENT, { outputBytes: o })
        assert.ok(usage.costMicro > 0n)
        assert.ok(usage.estimated)
      },
    ),
  )
})
