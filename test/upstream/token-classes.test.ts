import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropicUsage } from '../../src/upstream/anthropic/usage.ts'
import type { Usage, UsageReading } from '../../src/upstream/contract/usage.ts'
import { geminiUsage } from '../../src/upstream/gemini/usage.ts'
import { openAiUsage } from '../../src/upstream/openai/fields.ts'

const reported = (reading: UsageReading): Usage => {
  assert.equal(reading.kind, 'reported')
  return reading.kind === 'reported' ? reading.usage : {}
}

test('OpenAI tells sound and pictures apart in the details', () => {
  const usage = reported(
    openAiUsage({
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 2, audio_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 7, image_tokens: 20 },
    }),
  )
  assert.equal(usage.audioTokens, 30)
  assert.deepEqual([usage.audioOutputTokens, usage.imageOutputTokens], [7, 20])
})

test('Anthropic tells apart what is kept for an hour', () => {
  const usage = reported(
    anthropicUsage({
      input_tokens: 10,
      output_tokens: 5,
      cache_creation_input_tokens: 90,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 70 },
    }),
  )
  assert.deepEqual([usage.promptTokens, usage.cacheWriteTokens], [100, 90])
  assert.equal(usage.cacheWrite1hTokens, 70)
})

test('Gemini lists tokens by modality', () => {
  const usage = reported(
    geminiUsage({
      promptTokenCount: 100,
      candidatesTokenCount: 1_300,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 10 },
        { modality: 'AUDIO', tokenCount: 90 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
    }),
  )
  assert.deepEqual([usage.audioTokens, usage.imageOutputTokens], [90, 1_290])
  assert.equal(usage.audioOutputTokens, undefined)
})
