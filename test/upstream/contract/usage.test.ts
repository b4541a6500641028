import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { signOf } from '../../../src/lib/decimal.ts'
import { chatUsage, openAiUsage } from '../../../src/upstream/openai/fields.ts'

describe('usage', () => {
  it('absent is not zero, and zero is not absent', () => {
    for (const raw of [undefined, null, {}, [], 'x', { prompt_tokens: null }]) {
      assert.deepEqual(openAiUsage(raw), { kind: 'absent' })
    }
    assert.deepEqual(openAiUsage({ prompt_tokens: 0, completion_tokens: 0, cost: 0 }), {
      kind: 'reported',
      usage: { promptTokens: 0, completionTokens: 0, costUsd: '0' },
    })
    assert.deepEqual(chatUsage({ prompt_tokens: 5 }), { kind: 'absent' })
  })

  it('implausible counts and costs are unusable', () => {
    const base = { prompt_tokens: 10, completion_tokens: 5 }
    const reason = (more: object) => {
      const reading = chatUsage({ ...base, ...more })
      return reading.kind === 'unusable' ? reading.reason : reading.kind
    }
    assert.equal(reason({ completion_tokens: -5 }), 'negative')
    assert.equal(reason({ completion_tokens: 'NaN' }), 'not_a_number')
    assert.equal(reason({ completion_tokens: '5' }), 'not_a_number')
    assert.equal(reason({ completion_tokens: 1.5 }), 'not_a_number')
    assert.equal(reason({ prompt_tokens: 1e308 }), 'absurd')
    assert.equal(reason({ cost: -0.01 }), 'negative')
    assert.equal(reason({ cost: 1e308 }), 'absurd')
    assert.equal(reason({ cost: 1e9 }), 'absurd')
    assert.equal(reason({ cost: 'free' }), 'not_a_number')
    assert.equal(reason({ total_tokens: 3 }), 'inconsistent')
    assert.equal(reason({ prompt_tokens_details: { cached_tokens: 11 } }), 'inconsistent')
    assert.equal(reason({ completion_tokens_details: { reasoning_tokens: 9 } }), 'reported')
    assert.equal(reason({ cost: null }), 'reported')
  })

  it('counts reasoning that a server left out of the completion, and a key of our own', () => {
    const reading = chatUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 22,
      completion_tokens_details: { reasoning_tokens: 7 },
      is_byok: true,
      cost: 0.001,
      cost_details: { upstream_inference_cost: 0.02 },
    })
    assert.ok(reading.kind === 'reported')
    assert.equal(reading.usage.completionTokens, 12)
    assert.equal(reading.usage.costUsd, '0.021')
  })

  it('never throws, and never lets a bad number through', () => {
    const junk = fc.anything()
    fc.assert(
      fc.property(
        fc.record({ prompt_tokens: junk, completion_tokens: junk, total_tokens: junk, cost: junk }),
        (raw) => {
          const reading = chatUsage(raw)
          if (reading.kind !== 'reported') return
          assert.ok(Number.isInteger(reading.usage.promptTokens))
          assert.ok(reading.usage.promptTokens! >= 0 && reading.usage.completionTokens! >= 0)
          if (reading.usage.costUsd !== undefined) assert.ok(signOf(reading.usage.costUsd) >= 0)
        },
      ),
    )
  })
})
