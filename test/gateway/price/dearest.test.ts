import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { callCharge } from '../../../src/gateway/price/call-charge.ts'
import { callHold, type AnswerWish } from '../../../src/gateway/price/call-hold.ts'
import { dearestOf } from '../../../src/gateway/price/dearest.ts'
import { EMPTY_PROMPT } from '../../../src/gateway/price/prompt-size.ts'
import type { CommandOf } from '../../../src/ledger/commands.ts'
import { EMPTY, step } from '../../../src/ledger/ledger.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { pricedModel, RULES } from '../../support/models/priced-model.ts'

/* A call that several models may answer, and an account that has any amount of credits. */

const AT = new Date(0)
const PROMPT_BYTES = 992
const PRICES = ['0', '0.00000003', '0.000001', '0.00002', '0.0003']

const anyPrice = fc.constantFrom(...PRICES)
const anyModel = fc.record({
  prices: fc.record({ prompt: anyPrice, completion: anyPrice }),
  maxOutputTokens: fc.constantFrom(undefined, 50, 4_000),
  contextLength: fc.constantFrom(undefined, 600, 100_000),
  growing: fc.boolean(),
  hardLimit: fc.constantFrom(undefined, 20, 3_000),
  closer: fc.boolean(),
})
type AnyModel = typeof anyModel extends fc.Arbitrary<infer Made> ? Made : never

/** As one of the models would be asked. */
function candidate({ prices, growing, hardLimit, closer, ...facts }: AnyModel) {
  const free = prices.prompt === '0' && prices.completion === '0'
  const model = pricedModel({ prices, free, ...facts })
  const prompt = { ...EMPTY_PROMPT, textBytes: PROMPT_BYTES }
  const call = { model, prompt, at: AT }
  const answer: AnswerWish = { maxTokens: hardLimit, hardLimit, choices: 1, growing }
  const hold = callHold({ ...call, rules: RULES, boundText: closer ? () => 392 : undefined })
  return {
    estimate: hold.estimate(answer),
    promptTokens: Math.ceil(hold.boundPrompt()),
    longest: Math.min(hardLimit ?? Infinity, model.maxOutputTokens ?? model.contextLength ?? 9_000),
    affordable: hold.affordable,
    answer,
    charge: callCharge({ ...call, log: silentLog }),
  }
}

const entry = { id: 'e', type: 'usage', key: 'usage:e', description: '' } as const
const known = (hold?: Parameters<typeof step>[2]['hold']) => ({ hold, hasKey: () => false })

test('what is held covers each of them, and whichever answers is paid for', () => {
  const models = fc.array(anyModel, { minLength: 1, maxLength: 4 })
  const credits = fc.oneof(
    fc.bigInt({ min: 0n, max: 10n ** 7n }),
    fc.bigInt({ min: 0n, max: 10n ** 11n }),
  )
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(models, credits, share, (list, balanceMicro, said) => {
      const all = list.map(candidate)
      const held = dearestOf(all.map(({ estimate }) => estimate))!
      if (held.bounds === undefined) return assert.equal(held.estimateMicro, 0n)
      for (const { estimate } of all) covers(held, estimate)
      const account = { ...EMPTY, balanceMicro }
      const owner = { process: 'p' }
      const about = { kind: 'chat', model: 'm' }
      const command = { kind: 'hold', accountId: 'a', holdId: 'h', owner, about } as const
      const ask = (amounts: object) =>
        step(account, { ...command, ...held, ...amounts } as CommandOf<'hold'>, known())
      let bounds = held.bounds
      let made = ask({})
      if (made.outcome.kind === 'needs_exact_bounds') {
        bounds = held.exact!().bounds!
        made = ask({ bounds })
      }
      if (made.outcome.kind !== 'held') return assert.equal(made.outcome.kind, 'refused')
      const { limitMicro } = made.outcome
      for (const one of all) {
        const isLimited = limitMicro < bounds.worstCaseMicro
        const most = isLimited ? one.affordable(limitMicro, bounds, one.answer) : Infinity
        const completionTokens = Math.floor(Math.min(most, one.longest) * said)
        const usage = { promptTokens: one.promptTokens, completionTokens }
        const { costMicro } = one.charge({ kind: 'reported', usage }, { outputBytes: 0 })
        const charges = [{ costMicro, entry }]
        const settle = { kind: 'settle', accountId: 'a', holdId: 'h', charges } as const
        const { outcome, account: after } = step(made.account, settle, known(made.hold))
        assert.equal(outcome.kind, 'settled')
        assert.ok(costMicro <= limitMicro + 1n, `${costMicro} of ${limitMicro}`)
        assert.ok(after.balanceMicro >= 0n && after.heldMicro === 0n)
      }
    }),
    { numRuns: 300 },
  )
})

type Estimate = ReturnType<typeof candidate>['estimate']

function covers(held: Estimate, one: Estimate): void {
  assert.ok(held.estimateMicro >= one.estimateMicro && held.minimumMicro >= one.minimumMicro)
  const looks: [Estimate['bounds'], Estimate['bounds']][] = [
    [held.bounds, one.bounds],
    [(held.exact?.() ?? held).bounds, (one.exact?.() ?? one).bounds],
  ]
  for (const [most, own] of looks) {
    if (own === undefined) continue
    for (const name of AMOUNTS) assert.ok(most![name] >= own[name], name)
  }
}

const AMOUNTS = ['minimumMicro', 'committedMicro', 'initialLimitMicro', 'worstCaseMicro'] as const

test('a model that costs nothing holds nothing, whatever comes after it', () => {
  const free = { estimateMicro: 0n, minimumMicro: 0n }
  const dear = candidate({
    prices: { prompt: '0.0003', completion: '0.0003' },
    maxOutputTokens: 50,
    contextLength: undefined,
    growing: true,
    hardLimit: undefined,
    closer: false,
  }).estimate
  assert.deepEqual(dearestOf([free, dear]), free)
  assert.equal(dearestOf([dear, free])!.estimateMicro, dear.estimateMicro)
})
