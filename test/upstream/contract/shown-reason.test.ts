import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fieldIn, shownField, shownReason } from '../../../src/upstream/contract/shown-reason.ts'

const names = ['acme-main', 'openai', 'eu7.gateway.acmecloud.example', 'lab/door-1']
const sent = JSON.stringify({
  model: 'lab/door-1',
  messages: [{ role: 'user', content: [{ type: 'blorp' }], tool_call_id: 'toolu_01AbCdEf' }],
  tools: [{ type: 'function', function: { name: 'get_weather', parameters: { City: {} } } }],
})
const read = (text: string) => shownReason(text, { names, sent })

describe("an upstream's reason", () => {
  it('reaches the customer where it is about the request', () => {
    for (const text of [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "Invalid value: 'blorp'. Supported values are: 'text', 'image_url', and 'input_audio'.",
      'messages.0.content.0: Invalid `signature` in `thinking` block',
      "Invalid schema for function 'get_weather': 'City' is required to be supplied.",
      'max_tokens: 100,000 > 8192, which is the maximum allowed number of output tokens',
      'toolu_01AbCdEf was not found'.replace('toolu_01AbCdEf', '`toolu_01AbCdEf`'),
      "Additional properties are not allowed ('reasoning_effort' was unexpected)",
      'temperature must be between 0 and 1.5 (image/png, 90%)',
    ]) {
      assert.equal(read(text), text)
    }
  })

  it('names nobody', () => {
    const cases: [string, string | undefined][] = [
      ['SimProvider refused this prompt by its rules.', '… refused this prompt by its rules.'],
      ['This is not allowed at Acme Cloud.', 'This is not allowed at ….'],
      ['The engine of openai-eu says no to this input', 'The engine of … says no to this input'],
      [
        'See https://acme.example/x?org=1 for the limits of images',
        'See … for the limits of images',
      ],
      ['The model `door-1` does not exist for you', 'The model `…` does not exist for you'],
      ['Invalid request req_011CabcDEF at 10.0.0.17', 'Invalid request … at …'],
      ['The field is too long for account acmecorp', 'The field is too long for account …'],
      [
        'Write to ops@acme.example about the field',
        'Write to … about the field'.replace('Write', '…'),
      ],
      ['Acme Cloud at https://api.acme.example says sk-acme-123', undefined],
      ['', undefined],
    ]
    for (const [text, expected] of cases) assert.equal(read(text), expected, text)
  })

  it('is at most 300 characters on one line', () => {
    const shown = read('this field\n\tis wrong '.repeat(400))!
    assert.equal(shown.length, 300)
    assert.doesNotMatch(shown, /\n/)
  })
})

const letters = (characters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters.split('')), minLength, maxLength })
const ALNUM = 'abcdefghkmzABCDEFGHKMZ0123456789'
const mixed = letters(ALNUM, 14, 40).filter((one) => /[A-Z]/.test(one) && /\d/.test(one))
const host = fc
  .tuple(letters('abcdefz', 4, 9), letters('qwxyz0123', 4, 9))
  .map(([a, b]) => `${a}.${b}.example`)
/** What must never be read, as providers write it. */
const secret = fc.oneof(
  mixed.map((id) => `sk-${id}`),
  mixed.map((id) => `req_${id}`),
  mixed.map((id) => `org-${id}`),
  mixed,
  fc.uuid(),
  fc.ipV4(),
  host,
  host.map((name) => `https://${name}/v1/chat?key=1`),
  host.map((name) => `ops@${name}`),
  fc.constantFrom(
    'OpenAI',
    'openai',
    'Acme',
    'ACME-MAIN',
    'acme-main',
    'DeepInfra',
    'xKlopp',
    'groq',
  ),
  fc.constantFrom('door-1', 'lab/door-1', 'Оpenai', 'open\u200Bai', 'o\u0070enai.com', 'ＯpenAI'),
)
const frame = fc.constantFrom(
  (one: string) => `The request to ${one} is not valid`,
  (one: string) => `${one}: this model does not take images, use another model`,
  (one: string) => `Invalid 'messages' for "${one}" (see the list of models)`,
  (one: string) => `the field [${one}] is too long for this model\n{"at":"${one}"}`,
  (one: string) => `this input was refused by provider=${one}, try another input.`,
)

it('whatever it is wrapped in, nothing that could name an upstream is shown', () => {
  fc.assert(
    fc.property(secret, frame, (hidden, wrap) => {
      const text = wrap(hidden)
      const shown = shownReason(text, { names, sent })
      assert.ok(shown !== undefined, text)
      const plain = hidden.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
      for (const piece of plain.split(/[^\p{L}\p{N}]+/u).filter((one) => one.length > 3)) {
        assert.ok(!shown.toLowerCase().includes(piece.toLowerCase()), `${text} → ${shown}`)
      }
      assert.ok(!shown.includes(plain), shown)
    }),
    { numRuns: 2_000 },
  )
})

it('any text at all is read in time, and shown in 300 characters of ASCII', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) => {
      const shown = shownReason(text, { names, sent }) ?? ''
      assert.ok(shown.length <= 300)
      assert.doesNotMatch(shown, /[^\x20-\x7e…]/)
    }),
    { numRuns: 300 },
  )
})

it('the field that a refusal names is told where the caller sent it', () => {
  const context = { names: [], sent: '{"messages":[],"top_k":1}', fields: FIELDS }
  const cases: [string, string | undefined][] = [
    ["Invalid value for 'messages[0].content': expected a string", 'messages[0].content'],
    ["Unsupported value: 'temperature' does not support 0.1", 'temperature'],
    // The upstream counts its own messages.
    ['messages.3.content.0.text: must not be empty', 'messages'],
    ['max_tokens: must be at most 8192', undefined],
    ['The model refused the messages', undefined],
    ["Invalid 'messages[0].acme_key'", undefined],
    ["Invalid 'acme', see 'top_k'", 'top_k'],
    ["'", undefined],
    ["'".repeat(5_000) + 'a'.repeat(5_000), undefined],
  ]
  for (const [sentence, field] of cases) assert.equal(fieldIn(sentence, context), field, sentence)
  assert.equal(shownField('messages[0].role', context), 'messages[0].role')
  for (const path of ['input[0]', 'messages[0].acme_key', 'messages[x y]', '', undefined]) {
    assert.equal(shownField(path, context), undefined, path)
  }
})

const FIELDS = new Set(['messages', 'temperature', 'top_k', 'model'])
