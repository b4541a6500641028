import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  promptTokens,
  reportedCost,
  reserveWhole,
  tokenPrice,
} from '../../../src/gateway/price/call-price.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Pricing } from '../../../src/lib/model-record.ts'
import type { UsageReading } from '../../../src/upstream/contract/usage.ts'
import { pricedModel, RULES, TOKEN_PRICES } from '../../support/priced-model.ts'

type Call = {
  prices?: Pricing
  free?: boolean
  modelMax?: number
  promptTokens?: number
  images?: number
  log?: typeof silentLog
}

function price(call: Call = {}) {
  const { prices = TOKEN_PRICES, free = false, images = 0, log = silentLog } = call
  return tokenPrice({
    model: pricedModel({ prices, free, maxOutputTokens: call.modelMax }),
    promptTokens: call.promptTokens ?? 100,
    images,
    at: new Date(0),
    rules: RULES,
    log,
  })
}

const ABSENT: UsageReading = { kind: 'absent' }
const UNUSABLE: UsageReading = { kind: 'unusable', reason: 'negative' }
const reported = (usage: object): UsageReading => ({ kind: 'reported', usage })

test('the tokens of a prompt are a third of its bytes, plus its media and its framing', () => {
  const size = { textBytes: 0, imageCount: 0, mediaTokens: 0 }
  assert.equal(promptTokens(size), 8)
  assert.equal(promptTokens({ ...size, textBytes: 9 }), 11)
  assert.equal(promptTokens({ ...size, textBytes: 10 }), 12)
  assert.equal(promptTokens({ textBytes: 10, imageCount: 1, mediaTokens: 1_600 }), 1_612)
})

// 100 tokens of prompt are 450,000 microcredits; what must be there is that and 10,000 more.
const NEED = 460_000n
const AMOUNTS: [
  what: string,
  call: Call,
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
    'less than a microcredit is rounded up, prompt and answer apart',
    { prices: { prompt: '0.0000000001', completion: '0.0000000001' }, promptTokens: 1 },
    { maxTokens: 1, choices: 1 },
    2n,
    10_001n,
  ],
]

for (const [what, call, answer, wantMicro, needMicro] of AMOUNTS) {
  test(`what is held: ${what}`, () => {
    assert.deepEqual(price(call).amounts(answer as never), { wantMicro, needMicro })
  })
}

test('a price that is known beforehand is held in full', () => {
  assert.deepEqual(reserveWhole(7n), { wantMicro: 7n, needMicro: 7n })
})

type Cost = [micro: bigint, prompt: number, completion: number, estimated: boolean]
// Ten bytes of answer are estimated at 4 tokens.
const COSTS: [what: string, call: Call, reading: UsageReading, Cost][] = [
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
    'the pictures of the prompt',
    { prices: { image: '0.001' }, images: 2 },
    reported({ promptTokens: 1, completionTokens: 1 }),
    [9_000_000n, 1, 1, false],
  ],
]

for (const [what, call, reading, [costMicro, promptTokens, completionTokens, estimated]] of COSTS) {
  test(`what is charged: ${what}`, () => {
    assert.deepEqual(price(call).usage(reading, 10), {
      costMicro,
      promptTokens,
      completionTokens,
      totalTokens: promptTokens + completionTokens,
      estimated,
    })
  })
}

test('implausible usage is logged, absent usage is not', () => {
  const lines: unknown[] = []
  const log = { ...silentLog, warn: (_message: string, fields?: object) => void lines.push(fields) }
  price({ log }).usage(ABSENT, 0)
  assert.deepEqual(lines, [])
  price({ log }).usage(UNUSABLE, 0)
  assert.deepEqual(lines, [{ model: 'test/model', reason: 'negative' }])
})

const tokens = fc.integer({ min: 0, max: 1_000_000 })
const usd = fc.integer({ min: 0, max: 10_000_000 }).map((n) => (n / 1e10).toFixed(10))
const prices = fc.record({ prompt: usd, completion: usd, request: usd })

test('the answer part of a hold never exceeds the cap', () => {
  fc.assert(
    fc.property(prices, tokens, tokens, fc.integer({ min: 1, max: 128 }), (prices, n, max, k) => {
      const call = price({ prices, promptTokens: n })
      const prompt = call.amounts()
      const { wantMicro, needMicro } = call.amounts({ maxTokens: max, choices: k })
      assert.ok(wantMicro >= prompt.wantMicro)
      assert.ok(wantMicro <= prompt.wantMicro + RULES.capMicro)
      assert.equal(needMicro, prompt.wantMicro + RULES.minMicro)
    }),
  )
})

test('a call within its estimate costs no more than was held, unless the cap held it down', () => {
  fc.assert(
    fc.property(prices, tokens, tokens, tokens, tokens, (prices, n, max, used, written) => {
      const call = price({ prices, promptTokens: n })
      const { wantMicro } = call.amounts({ maxTokens: max, choices: 1 })
      const answerMicro = wantMicro - call.amounts().wantMicro
      fc.pre(answerMicro < RULES.capMicro)
      const usage = { promptTokens: Math.min(used, n), completionTokens: Math.min(written, max) }
      assert.ok(call.usage(reported(usage), 0).costMicro <= wantMicro)
    }),
  )
})

test('more tokens never cost less', () => {
  fc.assert(
    fc.property(prices, tokens, tokens, tokens, tokens, (prices, p, c, moreP, moreC) => {
      const call = price({ prices })
      const cost = (promptTokens: number, completionTokens: number) =>
        call.usage(reported({ promptTokens, completionTokens }), 0).costMicro
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
        const size = { textBytes: b, imageCount: 0, mediaTokens: 0 }
        const call = price({ prices: { prompt, completion }, promptTokens: promptTokens(size) })
        const usage = call.usage(ABSENT, o)
        assert.ok(usage.costMicro > 0n)
        assert.ok(usage.estimated)
      },
    ),
  )
})

// 0.001 dollars are 4.5 credits; a report is believed up to ten credits, or ten times the catalog.
const REPORTS: [what: string, UsageReading, catalogMicro: bigint, bigint, estimated: boolean][] = [
  ['as reported', reported({ costUsd: '0.001' }), 1_000_000n, 4_500_000n, false],
  ['less than the catalog says', reported({ costUsd: '0.001' }), 9_000_000n, 4_500_000n, false],
  ['an explicit zero', reported({ costUsd: '0' }), 1_000_000n, 0n, false],
  ['ten credits, however cheap', reported({ costUsd: '0.0022' }), 1n, 9_900_000n, false],
  ['more than that, and cheap', reported({ costUsd: '0.0023' }), 1n, 1n, true],
  ['ten times the catalog', reported({ costUsd: '0.01' }), 4_500_000n, 45_000_000n, false],
  ['a little more', reported({ costUsd: '0.010001' }), 4_500_000n, 4_500_000n, true],
  ['no cost among what is reported', reported({ promptTokens: 5 }), 3n, 3n, true],
  ['nothing reported', ABSENT, 3n, 3n, true],
  ['nothing to be believed', UNUSABLE, 3n, 3n, true],
]

for (const [what, reading, catalogMicro, costMicro, estimated] of REPORTS) {
  test(`a cost of the upstream's own: ${what}`, () => {
    const cost = reportedCost({ reading, rate: pricedModel(), catalogMicro })
    assert.deepEqual(cost, { costMicro, estimated })
  })
}

test('no report costs more than ten credits or ten times the catalog', () => {
  const cents = fc.integer({ min: 0, max: 100_000_000 }).map((n) => (n / 1e6).toFixed(6))
  fc.assert(
    fc.property(cents, fc.bigInt({ min: 0n, max: 10n ** 12n }), (costUsd, catalogMicro) => {
      const reading = reported({ costUsd })
      const { costMicro } = reportedCost({ reading, rate: pricedModel(), catalogMicro })
      assert.ok(costMicro <= 10_000_000n || costMicro <= 10n * catalogMicro)
    }),
  )
})
