import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { signOf } from '../../../src/lib/decimal.ts'
import { messageUsage } from '../../../src/gateway/messages/usage.ts'
import { usageOf as responsesUsage } from '../../../src/gateway/responses/answer/response.ts'
import { anthropicUsage } from '../../../src/upstream/anthropic/usage.ts'
import { countedUsage, usageFields } from '../../../src/upstream/contract/usage.ts'
import { geminiUsage } from '../../../src/upstream/gemini/usage.ts'
import { openAiUsage } from '../../../src/upstream/openai/fields.ts'

describe('usage', () => {
  it('absent is not zero, and zero is not absent', () => {
    for (const raw of [undefined, null, {}, [], 'x', { prompt_tokens: null }]) {
      assert.deepEqual(openAiUsage(raw), { kind: 'absent' })
    }
    assert.deepEqual(openAiUsage({ prompt_tokens: 0, completion_tokens: 0, cost: 0 }), {
      kind: 'reported',
      usage: { promptTokens: 0, completionTokens: 0, costUsd: '0' },
    })
    assert.deepEqual(openAiUsage({ prompt_tokens: 5 }), {
      kind: 'reported',
      usage: { promptTokens: 5 },
    })
  })

  it('an implausible count takes nothing from the others', () => {
    const base = { prompt_tokens: 10, completion_tokens: 5 }
    const told = (more: object) => openAiUsage({ ...base, ...more })
    const left = (bad: string, usage: object) => ({ kind: 'reported', bad, usage })
    const prompt = { promptTokens: 10 }
    const both = { promptTokens: 10, completionTokens: 5 }
    assert.deepEqual(told({ completion_tokens: -5 }), left('negative', prompt))
    assert.deepEqual(told({ completion_tokens: 'NaN' }), left('not_a_number', prompt))
    assert.deepEqual(told({ completion_tokens: '5' }), left('not_a_number', prompt))
    assert.deepEqual(told({ completion_tokens: 1.5 }), left('not_a_number', prompt))
    assert.deepEqual(told({ prompt_tokens: 1e308 }), left('absurd', { completionTokens: 5 }))
    const cached = { prompt_tokens_details: { cached_tokens: 11 } }
    assert.deepEqual(told(cached), left('inconsistent', both))
    const pictures = { completion_tokens_details: { image_tokens: -1 } }
    assert.deepEqual(told(pictures), left('negative', both))
    assert.deepEqual(openAiUsage({ prompt_tokens: -1 }), { kind: 'unusable', reason: 'negative' })
  })

  it('counts survive an implausible cost, total or part', () => {
    const usage = { promptTokens: 10, completionTokens: 5 }
    const read = (more: object) => openAiUsage({ prompt_tokens: 10, completion_tokens: 5, ...more })
    const costs = { negative: [-0.01, '-1'], absurd: [1e308, 1e9], not_a_number: ['free', {}] }
    for (const [bad, values] of Object.entries(costs)) {
      for (const cost of values) assert.deepEqual(read({ cost }), { kind: 'reported', usage, bad })
    }
    for (const total_tokens of [3, 999, -1, 'many', null]) {
      assert.deepEqual(read({ total_tokens }), { kind: 'reported', usage })
    }
    assert.deepEqual(read({ completion_tokens_details: { reasoning_tokens: 9 } }), {
      kind: 'reported',
      usage: { ...usage, reasoningTokens: 5 },
    })
    assert.deepEqual(openAiUsage({ cost: -1 }), { kind: 'unusable', reason: 'negative' })
  })

  it('counts reasoning that a server left out of the completion, and a key of our own', () => {
    const reading = openAiUsage({
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

  it('adds up as every dialect writes it, whatever is reported in any format', () => {
    const count = fc.oneof(fc.nat(50), fc.constantFrom(undefined, null, -1, 1e308, '7', 0.5))
    const openAi = fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      cost: count,
      prompt_tokens_details: fc.record({ cached_tokens: count, audio_tokens: count }),
      completion_tokens_details: fc.record({
        reasoning_tokens: count,
        audio_tokens: count,
        image_tokens: count,
      }),
    })
    const anthropic = fc.record({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      cache_creation: fc.record({ ephemeral_1h_input_tokens: count }),
      output_tokens_details: fc.record({ thinking_tokens: count }),
    })
    const gemini = fc.record({
      promptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
      totalTokenCount: count,
    })
    const readings = fc.oneof(
      openAi.map(openAiUsage),
      anthropic.map(anthropicUsage),
      gemini.map(geminiUsage),
    )
    const charged = { promptTokens: 20, completionTokens: 9 }
    fc.assert(
      fc.property(readings, (reading) => {
        const told = reading.kind === 'reported' ? reading.usage : {}
        const promptTokens = Math.max(charged.promptTokens, told.leastPromptTokens ?? 0)
        const usage = countedUsage(reading, { ...charged, promptTokens, ...told })
        for (const shown of [usageFields(usage), responsesUsage(usage)]) {
          const [prompt = 0, answer = 0] = Object.entries(shown).flatMap(([name, value]) =>
            /^(prompt|input|completion|output)_tokens$/.test(name) ? [value as number] : [],
          )
          assert.equal(shown.total_tokens, prompt + answer)
          for (const [name, details] of Object.entries(shown)) {
            if (!name.endsWith('_details')) continue
            const whole = /^(prompt|input)/.test(name) ? prompt : answer
            for (const part of Object.values(details as Record<string, number | undefined>)) {
              assert.ok((part ?? 0) >= 0 && (part ?? 0) <= whole, JSON.stringify(shown))
            }
          }
        }
        const message = messageUsage(usage)
        const input = message.input_tokens + message.cache_read_input_tokens
        assert.equal(input + message.cache_creation_input_tokens, usage.promptTokens)
        const { thinking_tokens: thought = 0 } = message.output_tokens_details ?? {}
        assert.ok(thought <= message.output_tokens)
      }),
    )
  })

  it('never throws, and never lets a bad number through', () => {
    const junk = fc.anything()
    fc.assert(
      fc.property(
        fc.record({ prompt_tokens: junk, completion_tokens: junk, total_tokens: junk, cost: junk }),
        (raw) => {
          const reading = openAiUsage(raw)
          if (reading.kind !== 'reported') return
          const { promptTokens = 0, completionTokens = 0 } = reading.usage
          assert.ok(Number.isInteger(promptTokens) && Number.isInteger(completionTokens))
          assert.ok(promptTokens >= 0 && completionTokens >= 0)
          if (reading.usage.costUsd !== undefined) assert.ok(signOf(reading.usage.costUsd) >= 0)
        },
      ),
    )
  })
})
