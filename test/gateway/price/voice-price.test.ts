import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  voiceEstimate,
  speechPrice,
  sumEstimates,
  transcriptionPrice,
} from '../../../src/gateway/price/voice-price.ts'
import type { CostEstimate } from '../../../src/gateway/price/cost-estimate.ts'
import type { Pricing } from '../../../src/catalog/model-record.ts'
import type { TokenUse } from '../../../src/ledger/money.ts'
import { pricedModel, RULES, TOKEN_PRICES } from '../../support/models/priced-model.ts'

const AT = new Date(0)

// A second at 0.0001 dollars is 450,000 microcredits. By the token, ten seconds of sound are 100
// tokens of prompt and, at 15 characters a second and 3 a token, 50 of answer.
const TRANSCRIPTIONS: [
  what: string,
  prices: Pricing,
  audio: { seconds?: number; tokens?: TokenUse },
  micro: bigint | undefined,
][] = [
  ['by the second', { audio_second: '0.0001' }, { seconds: 10 }, 4_500_000n],
  ['by parts of a second', { audio_second: '0.0001' }, { seconds: 2.5 }, 1_125_000n],
  [
    'by the second and the request',
    { audio_second: '0.0001', request: '0.001' },
    { seconds: 10 },
    9_000_000n,
  ],
  ['by the minute', { audio_minute: '0.016' }, { seconds: 90 }, 108_000_000n],
  ['by the minute, rounded up once', { audio_minute: '0.0000001' }, { seconds: 1 }, 8n],
  ['by the hour', { audio_hour: '0.36' }, { seconds: 10 }, 4_500_000n],
  [
    'by the hour and the request',
    { audio_hour: '0.36', request: '0.001' },
    { seconds: 10 },
    9_000_000n,
  ],
  ['by the hour, of unknown length', { audio_hour: '0.36' }, {}, undefined],
  ['by the second, of unknown length', { audio_second: '0.0001' }, {}, undefined],
  [
    'by the second, whatever the tokens',
    { ...TOKEN_PRICES, audio_second: '0.0001' },
    { seconds: 1, tokens: { promptTokens: 9, completionTokens: 9 } },
    450_000n,
  ],
  ['by the token, from the length', TOKEN_PRICES, { seconds: 10 }, 900_000n],
  [
    'by the token, as reported',
    TOKEN_PRICES,
    { seconds: 10, tokens: { promptTokens: 7, completionTokens: 3 } },
    58_500n,
  ],
  [
    'by the token, sound at its own price',
    { ...TOKEN_PRICES, audio: '0.00001' },
    { tokens: { promptTokens: 7, completionTokens: 3, audioTokens: 5 } },
    261_000n, // 2 × 4,500 + 5 × 45,000 + 3 × 9,000
  ],
  ['sound from the length', { ...TOKEN_PRICES, audio: '0.00001' }, { seconds: 10 }, 4_950_000n],
  ['by the token, of unknown length', TOKEN_PRICES, {}, undefined],
  ['with no price that fits', { prompt: '0.000001' }, { seconds: 10 }, undefined],
]

for (const [what, prices, { seconds, tokens }, micro] of TRANSCRIPTIONS) {
  test(`a transcription ${what}`, () => {
    assert.equal(transcriptionPrice(pricedModel({ prices }), { seconds, tokens }, AT), micro)
  })
}

// A character at 0.00001 dollars is 45,000 microcredits. By the token, 20 characters are 7 tokens
// of prompt, and two seconds are 50 tokens of answer.
const SPEECH = { characters: 20, textBytes: 20, seconds: 2 }
const SPEECHES: [what: string, prices: Pricing, ReturnType<typeof speechPrice>][] = [
  ['by the character', { character: '0.00001' }, { micro: 900_000n, exact: true }],
  [
    'by the character and the request',
    { character: '0.00001', request: '0.001' },
    { micro: 5_400_000n, exact: true },
  ],
  [
    'by the character, though tokens have a price',
    { ...TOKEN_PRICES, character: '0.00001' },
    { micro: 900_000n, exact: true },
  ],
  ['by the token', TOKEN_PRICES, { micro: 481_500n, exact: false }],
  ['with no price that fits', { prompt: '0.000001' }, undefined],
]

for (const [what, prices, price] of SPEECHES) {
  test(`speech ${what}`, () => {
    assert.deepEqual(speechPrice(pricedModel({ prices }), SPEECH, AT), price)
  })
}

const HOLDS: [
  what: string,
  free: boolean,
  estimate: bigint | undefined,
  nominal: bigint,
  want: bigint,
  need: bigint,
][] = [
  ['a free model', true, 5n, 2_000_000n, 0n, 0n],
  ['a price that is known', false, 3_000_000n, 2_000_000n, 3_000_000n, 3_000_000n],
  ['a price of nothing', false, 0n, 2_000_000n, 0n, 0n],
  ['a price over the cap', false, 30_000_000n, 2_000_000n, 10_000_000n, 10_000_000n],
  ['a price that is not known', false, undefined, 2_000_000n, 2_000_000n, 10_000n],
  ['a nominal sum over the cap', false, undefined, 20_000_000n, 10_000_000n, 10_000n],
]

for (const [what, free, priceMicro, nominalMicro, estimateMicro, minimumMicro] of HOLDS) {
  test(`what is held for voice: ${what}`, () => {
    const estimate = voiceEstimate(pricedModel({ free }), priceMicro, { ...RULES, nominalMicro })
    assert.deepEqual([estimate.estimateMicro, estimate.minimumMicro], [estimateMicro, minimumMicro])
  })
}

test('stages are held together', () => {
  const stages = [
    { estimateMicro: 1_000_000n, minimumMicro: 1_000_000n },
    { estimateMicro: 2_000_000n, minimumMicro: 10_000n },
  ]
  const sum = (all: CostEstimate[]) => {
    const { estimateMicro, minimumMicro } = sumEstimates(all, RULES)
    return { estimateMicro, minimumMicro }
  }
  assert.deepEqual(sum(stages), { estimateMicro: 3_000_000n, minimumMicro: 1_010_000n })
  const large = { estimateMicro: 9_000_000n, minimumMicro: 9_000_000n }
  assert.deepEqual(sum([...stages, large]), {
    estimateMicro: 10_000_000n,
    minimumMicro: 10_000_000n,
  })
})

const micro = fc.bigInt({ min: 0n, max: 50_000_000n })
const seconds = fc.integer({ min: 0, max: 8_640_000 }).map((n) => n / 100)

test('however many stages there are, their sum is held under one cap', () => {
  const stage = fc.record({ estimateMicro: micro, minimumMicro: micro })
  fc.assert(
    fc.property(fc.array(stage, { maxLength: 5 }), (stages) => {
      const sum = sumEstimates(stages, RULES)
      for (const name of ['estimateMicro', 'minimumMicro'] as const) {
        const all = stages.reduce((total, one) => total + one[name], 0n)
        assert.equal(sum[name], all < RULES.capMicro ? all : RULES.capMicro)
      }
    }),
  )
})

test('a voice hold stays within the cap, and never needs more than it wants', () => {
  const nominal = fc.bigInt({ min: RULES.minMicro, max: 50_000_000n })
  fc.assert(
    fc.property(fc.option(micro, { nil: undefined }), nominal, (estimate, nominalMicro) => {
      const { estimateMicro, minimumMicro } = voiceEstimate(pricedModel(), estimate, {
        ...RULES,
        nominalMicro,
      })
      assert.ok(estimateMicro <= RULES.capMicro)
      assert.ok(minimumMicro <= estimateMicro)
    }),
  )
})

test('what is sent beside the sound or the text is paid for, by the token', () => {
  const model = pricedModel({ prices: TOKEN_PRICES })
  const heard = (textBytes: number) => transcriptionPrice(model, { seconds: 10, textBytes }, AT)!
  assert.equal(heard(30_000) - heard(0), 45_000_000n)
  const said = (textBytes: number) => speechPrice(model, { ...SPEECH, textBytes }, AT)!.micro
  assert.equal(said(30_000) - said(0), 45_000_000n)
})

test('longer sound and longer texts never cost less', () => {
  const lists = fc.constantFrom<Pricing>(TOKEN_PRICES, {
    ...TOKEN_PRICES,
    audio_second: '0.0001',
    character: '0.00001',
  })
  fc.assert(
    fc.property(lists, seconds, seconds, (prices, some, more) => {
      const model = pricedModel({ prices })
      const transcription = (s: number) => transcriptionPrice(model, { seconds: s }, AT)!
      const speech = (s: number) => {
        const characters = Math.ceil(s * 15)
        return speechPrice(model, { characters, textBytes: characters, seconds: s }, AT)!.micro
      }
      assert.ok(transcription(some + more) >= transcription(some))
      assert.ok(speech(some + more) >= speech(some))
    }),
  )
})
