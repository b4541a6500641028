import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { reserveWhole } from '../../../src/gateway/price/amounts.ts'
import { tokenPrice } from '../../../src/gateway/price/call-price.ts'
import {
  EMPTY_PROMPT,
  promptTokens,
  type PromptSize,
} from '../../../src/gateway/price/prompt-size.ts'
import { reportedCost } from '../../../src/gateway/price/reported-cost.ts'
import { decimal, type Decimal } from '../../../src/lib/decimal.ts'
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
  prompt?: Partial<PromptSize>
  contextLength?: number
  log?: typeof silentLog
}

function price(call: Call = {}) {
  const { prices = TOKEN_PRICES, free = false, images = 0, log = silentLog } = call
  return tokenPrice({
    model: pricedModel({
      prices,
      free,
      maxOutputTokens: call.modelMax,
      contextLength: call.contextLength,
    }),
    prompt: {
      ...EMPTY_PROMPT,
      mediaTokens: (call.promptTokens ?? 100) - promptTokens(EMPTY_PROMPT),
      imageCount: images,
      ...call.prompt,
    },
    at: new Date(0),
    rules: RULES,
    log,
  })
}

const ABSENT: UsageReading = { kind: 'absent' }
const UNUSABLE: UsageReading = { kind: 'unusable', reason: 'negative' }
const reported = (usage: object): UsageReading => ({ kind: 'reported', usage })

test('a prompt is a third of its bytes, its media and its framing', () => {
  assert.equal(promptTokens(EMPTY_PROMPT), 8)
  assert.equal(promptTokens({ ...EMPTY_PROMPT, textBytes: 9 }), 11)
  assert.equal(promptTokens({ ...EMPTY_PROMPT, textBytes: 10 }), 12)
  const media = { imageCount: 1, mediaTokens: 1_600, audioTokens: 50, links: 1 }
  assert.equal(promptTokens({ ...media, textBytes: 10 }), 11_662)
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
    'a link may fill the context',
    { prompt: { links: 1 }, contextLength: 128_000 },
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

for (const [what, call, answer, wantMicro, needMicro] of AMOUNTS) {
  test(`what is held: ${what}`, () => {
    const held = price(call).amounts(answer as never)
    assert.deepEqual([held.wantMicro, held.needMicro], [wantMicro, needMicro])
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
    const { upstreamCost, ...usage } = price(call).usage(reading, { outputBytes: 10 })
    assert.deepEqual(usage, {
      costMicro,
      promptTokens,
      completionTokens,
      totalTokens: promptTokens + completionTokens,
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
  const plain = price({}).usage(reported(usage), { outputBytes: 10 })
  const told = price({}).usage(reported({ ...usage, costUsd: '0.0000000012' }), { outputBytes: 10 })
  assert.equal(told.costMicro, plain.costMicro)
  assert.deepEqual(told.upstreamCost, { nusd: 2n, basis: 'reported' })
})

test('pictures that nobody counted are not free', () => {
  const call = price({ prices: { ...TOKEN_PRICES, image_output: '0.00003' } })
  const output = { outputBytes: 30, pictures: 2 }
  // 100 of prompt, 10 of text, and 2 × 4,175 of pictures at 135,000.
  assert.equal(call.usage(ABSENT, output).costMicro, 450_000n + 90_000n + 1_127_250_000n)
  // Counted, but not told apart from the text.
  const whole = reported({ promptTokens: 0, completionTokens: 1_300 })
  assert.equal(call.usage(whole, output).costMicro, 90_000n + 1_290n * 135_000n)
})

test('usage that cannot be believed is logged, usage that is absent is not', () => {
  const lines: unknown[] = []
  const log = { ...silentLog, warn: (_message: string, fields?: object) => void lines.push(fields) }
  price({ log }).usage(ABSENT, { outputBytes: 0 })
  assert.deepEqual(lines, [])
  price({ log }).usage(UNUSABLE, { outputBytes: 0 })
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
      assert.ok(call.usage(reported(usage), { outputBytes: 0 }).costMicro <= wantMicro)
    }),
  )
})

test('more tokens never cost less', () => {
  fc.assert(
    fc.property(prices, tokens, tokens, tokens, tokens, (prices, p, c, moreP, moreC) => {
      const call = price({ prices })
      const cost = (promptTokens: number, completionTokens: number) =>
        call.usage(reported({ promptTokens, completionTokens }), { outputBytes: 0 }).costMicro
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
        const call = price({ prices: { prompt, completion }, prompt: { textBytes: b } })
        const usage = call.usage(ABSENT, { outputBytes: o })
        assert.ok(usage.costMicro > 0n)
        assert.ok(usage.estimated)
      },
    ),
  )
})

// 0.001 dollars are 4.5 credits; a report is believed up to 0.003, or ten times the catalog, or the cap
// where the catalog has no price.
const CAP = decimal('20')
type Catalog = { micro?: bigint; capUsd?: Decimal }
const REPORTS: [what: string, UsageReading, Catalog, bigint, estimated: boolean][] = [
  ['as reported', reported({ costUsd: '0.001' }), { micro: 1_000_000n }, 4_500_000n, false],
  [
    'less than the catalog',
    reported({ costUsd: '0.001' }),
    { micro: 9_000_000n },
    4_500_000n,
    false,
  ],
  ['an explicit zero', reported({ costUsd: '0' }), { micro: 1_000_000n }, 0n, false],
  ['a small sum, however cheap', reported({ costUsd: '0.003' }), { micro: 1n }, 13_500_000n, false],
  ['more than that, and cheap', reported({ costUsd: '0.0031' }), { micro: 1n }, 1n, true],
  ['ten times', reported({ costUsd: '0.01' }), { micro: 4_500_000n }, 45_000_000n, false],
  ['a little more', reported({ costUsd: '0.010001' }), { micro: 4_500_000n }, 4_500_000n, true],
  ['no cost among what is reported', reported({ promptTokens: 5 }), { micro: 3n }, 3n, true],
  ['nothing reported', ABSENT, { micro: 3n }, 3n, true],
  ['nothing to be believed', UNUSABLE, { micro: 3n }, 3n, true],
  // Finding: 3.50 dollars were charged as one credit.
  ['no price', reported({ costUsd: '3.5' }), { capUsd: CAP }, 15_750_000_000n, false],
  ['no price, at the cap', reported({ costUsd: '20' }), { capUsd: CAP }, 90_000_000_000n, false],
  ['no price, over the cap', reported({ costUsd: '25' }), { capUsd: CAP }, 90_000_000_000n, true],
  ['no price and no report', ABSENT, { capUsd: CAP }, 1_000_000n, true],
  [
    'a price that is a guess',
    reported({ costUsd: '3.5' }),
    { micro: 5n, capUsd: CAP },
    15_750_000_000n,
    false,
  ],
  ['a guess, over the cap', reported({ costUsd: '25' }), { micro: 5n, capUsd: CAP }, 5n, true],
]

for (const [what, reading, { micro: catalogMicro, capUsd }, costMicro, estimated] of REPORTS) {
  test(`a cost of the upstream's own: ${what}`, () => {
    const known = { catalogMicro, capUsd, nominalMicro: 1_000_000n }
    const cost = reportedCost({ reading, rate: pricedModel(), ...known })
    const basis = estimated ? (catalogMicro === undefined ? 'estimated' : 'list') : 'reported'
    // At this rate a nano-dollar is 4.5 microcredits.
    const nusd = (costMicro * 4n + 9n) / 18n
    assert.deepEqual(cost, { costMicro, estimated, upstreamCost: { nusd, basis } })
  })
}

test('where there is a price, no report costs more than a small sum or ten times the catalog', () => {
  const cents = fc.integer({ min: 0, max: 100_000_000 }).map((n) => (n / 1e6).toFixed(6))
  fc.assert(
    fc.property(cents, fc.bigInt({ min: 0n, max: 10n ** 12n }), (costUsd, catalogMicro) => {
      const reading = reported({ costUsd })
      const { costMicro } = reportedCost({ reading, rate: pricedModel(), catalogMicro })
      assert.ok(costMicro <= 13_500_000n || costMicro <= 10n * catalogMicro)
    }),
  )
})
