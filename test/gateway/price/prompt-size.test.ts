import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { NO_MEDIA } from '../../../src/gateway/media-parts.ts'
import {
  EMPTY_PROMPT,
  measureJson,
  mostPromptTokens,
  promptSize,
  promptTokens,
} from '../../../src/gateway/price/prompt-size.ts'

const bytesOf = (body: unknown) => measureJson(body).bytes

test('a body measures what its JSON does, whatever is in it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      const text = JSON.stringify(body)
      const escapes = text.length - text.replaceAll('\\', '').length
      // Escapes are longer in JSON; a comma too many for each list is not worth a branch.
      const slack = escapes * 6 + (text.match(/[[{]/g)?.length ?? 0)
      const measured = bytesOf(body)
      assert.ok(Math.abs(measured - Buffer.byteLength(text)) <= slack, `${measured} ${text}`)
    }),
  )
})

const LONG = 'x'.repeat(30_000)
const message = (more: object) => ({ messages: [{ role: 'user', content: 'x', ...more }] })
/** Every place where a caller has hidden a prompt, or might. */
const HIDING_PLACES: [string, object][] = [
  ['content', message({ content: LONG })],
  ['a text part', message({ content: [{ type: 'text', text: LONG }] })],
  ['function_call.arguments', message({ function_call: { name: 'f', arguments: LONG } })],
  ['a name', message({ name: LONG })],
  ['a refusal', message({ refusal: LONG })],
  ['reasoning', message({ reasoning: LONG })],
  ['reasoning_content', message({ reasoning_content: LONG })],
  ['reasoning_details', message({ reasoning_details: [{ type: 'reasoning.text', text: LONG }] })],
  ['a tool call', message({ tool_calls: [{ function: { name: 'f', arguments: LONG } }] })],
  ['a tool call id', message({ tool_call_id: LONG })],
  ['an unknown field of a message', message({ whatever: { deep: [LONG] } })],
  ['the name of a field', message({ [LONG]: 1 })],
  ['tools', { tools: [{ type: 'function', function: { name: 'f', description: LONG } }] }],
  ['functions', { functions: [{ name: 'f', description: LONG }] }],
  ['response_format', { response_format: { type: 'json_schema', json_schema: { schema: LONG } } }],
  ['prediction', { prediction: { type: 'content', content: LONG } }],
  ['stop', { stop: [LONG] }],
  ['metadata', { metadata: { a: LONG } }],
  ['an unknown field', { documents: [{ text: LONG }] }],
  ['numbers', { documents: Array.from({ length: 5_000 }, (_, i) => 100_000 + i) }],
]
for (const [place, body] of HIDING_PLACES) {
  test(`a prompt in ${place} is measured`, () => {
    assert.ok(promptTokens(promptSize(body, NO_MEDIA)) >= 10_000)
  })
}

test('a prompt is a third of its bytes, its media and its framing', () => {
  assert.equal(promptTokens(EMPTY_PROMPT), 8)
  assert.equal(promptTokens({ ...EMPTY_PROMPT, textBytes: 9 }), 11)
  assert.equal(promptTokens({ ...EMPTY_PROMPT, textBytes: 10 }), 12)
  const unknown = { usualTokens: 10_000, mostTokens: Infinity }
  const media = { imageCount: 1, mediaTokens: 1_600, audioTokens: 50, unknown }
  assert.equal(promptTokens({ ...media, textBytes: 10 }), 11_662)
})

test('20,000 empty messages are not nothing', () => {
  const messages = Array.from({ length: 20_000 }, () => ({ role: 'user', content: '' }))
  // Upstreams count three or four tokens for each.
  assert.ok(promptTokens(promptSize({ messages }, NO_MEDIA)) >= 80_000)
})

test('what is behind a link may fill the context', () => {
  const linked = { ...EMPTY_PROMPT, unknown: { usualTokens: 10_000, mostTokens: Infinity } }
  assert.equal(mostPromptTokens(EMPTY_PROMPT, 128_000), 8)
  assert.equal(mostPromptTokens(linked, 128_000), 128_000)
  assert.equal(mostPromptTokens(linked, undefined), 1_000_000)
  assert.equal(promptTokens(linked), 10_008)
  const picture = { ...EMPTY_PROMPT, unknown: { usualTokens: 1_600, mostTokens: 14_000 } }
  assert.equal(mostPromptTokens(picture, 128_000), 14_008)
})

test('a wish to keep the prompt in a cache is noticed wherever it stands', () => {
  const part = (control: object) =>
    message({ content: [{ type: 'text', text: 'x', cache_control: control }] })
  assert.equal(measureJson(part({ type: 'ephemeral' })).cacheLife, '5m')
  assert.equal(measureJson(part({ type: 'ephemeral', ttl: '1h' })).cacheLife, '1h')
  assert.equal(measureJson({ cache_control: { ttl: '1h' } }).cacheLife, '1h')
  assert.equal(measureJson(message({})).cacheLife, undefined)
})
