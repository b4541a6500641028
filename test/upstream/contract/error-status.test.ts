import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hintInWords, retryAfterSeconds } from '../../../src/upstream/contract/error-status.ts'

describe('Retry-After', () => {
  it('is between one second and an hour, or not there', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const cases: [unknown, number | undefined][] = [
      ['7', 7],
      ['0', 1],
      ['1.2', 2],
      ['23s', 23],
      [12, 12],
      ['-1', undefined],
      ['9999999999', 3600],
      ['99999999999999999999999999', undefined],
      ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
      ['Wed, 31 Dec 2025 00:00:00 GMT', 1],
      ['soon', undefined],
      ['', undefined],
      [undefined, undefined],
      [Number.NaN, undefined],
    ]
    for (const [value, seconds] of cases) {
      assert.equal(retryAfterSeconds(value, now), seconds, String(value))
    }
  })
})

describe('words that mean a long prompt or a policy', () => {
  const LONG = [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    'Your input exceeds the context window of this model.',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 199000 + 21333 > 200000',
    'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    'the request exceeds the available context size',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Please reduce the length of the messages or completion.',
    "Prompt of 9000 tokens is longer than the model's context length",
  ]
  const POLICY = [
    'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
    'Your request was rejected as a result of our safety system.',
    'Output blocked by content filtering policy',
  ]
  const NEITHER = [
    "Invalid value for 'context_size': it must be a number",
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
    "Invalid 'tools[0].function.description': string too long. Expected at most 1024 characters",
    'See our usage policies for the limits of this model',
    'The context window of this model is 8192 tokens; set num_ctx',
  ]
  it('are taken for it only where they can mean nothing else', () => {
    for (const text of LONG)
      assert.deepEqual(hintInWords(text), { rejected: 'context_length' }, text)
    for (const text of POLICY) {
      assert.deepEqual(hintInWords(text), { rejected: 'content_policy' }, text)
    }
    for (const text of NEITHER) assert.equal(hintInWords(text), undefined, text)
  })
})
