import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textDelta } from '../../../src/upstream/openai/text-delta.ts'

const PLACE = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const event = (delta: unknown, more: object = { sequence_number: 7 }) =>
  JSON.stringify({ type: 'response.output_text.delta', ...PLACE, delta, ...more })
const KNOWN = textDelta(event(''))!.before

const PLAIN = ['', 'Habari', ' ya leo? ', "Ng'ombe", '100 %', 'é', '你好', '😀', '{}']
const OTHER = [
  'a "quote"',
  'back\\slash',
  'line\nbreak',
  'tab\t',
  '\u0000',
  '\u007f',
  5,
  null,
  ['x'],
]
const MORE = [
  { sequence_number: 7 },
  { sequence_number: 7, logprobs: [] },
  { logprobs: [], sequence_number: 0, obfuscation: 'aB3-x' },
  {},
]
const STRANGE = [
  { logprobs: [{ token: 'x' }] },
  { sequence_number: '7' },
  { obfuscation: 'a"b' },
  { more: 1 },
]

test('a plain piece of text is found, and its parts are the whole', () => {
  for (const delta of PLAIN) {
    for (const more of MORE) {
      const data = event(delta, more)
      for (const found of [textDelta(data), textDelta(data, KNOWN), textDelta(data, 'another')]) {
        assert.equal(found?.text, delta, data)
        assert.equal(found.before + found.text + found.after, data)
      }
    }
  }
})

test('a number that comes before the text is left out of it', () => {
  for (const delta of PLAIN) {
    const data = event(delta, { logprobs: [], obfuscation: 'aB3-x' })
    const { type, ...rest } = JSON.parse(data) as Record<string, unknown>
    const numbered = JSON.stringify({ type, sequence_number: 14, ...rest })
    for (const found of [textDelta(numbered), textDelta(numbered, KNOWN)]) {
      assert.equal(found?.text, delta, numbered)
      assert.equal(found.before + found.text + found.after, data)
    }
  }
})

test('whatever is not plain is left to those who read JSON, however the last one began', () => {
  const events = [
    ...OTHER.map((delta) => event(delta)),
    ...STRANGE.map((more) => event('Habari', more)),
    event('Habari').slice(0, -1),
    `${event('Habari')} `,
    KNOWN,
    '',
    '{"type":"response.output_text.done"}',
    ...['', '"7"', '7.5', '-1', '7}', 'x,', '{"a":1}', '[1,'].map((number) =>
      event('Habari').replace('",', `","sequence_number":${number},`),
    ),
  ]
  for (const data of events) {
    assert.equal(textDelta(data), undefined, data)
    assert.equal(textDelta(data, KNOWN), undefined, data)
  }
})
