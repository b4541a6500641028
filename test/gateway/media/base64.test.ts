import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBase64 } from '../../../src/gateway/media/base64.ts'
import { Failure } from '../../../src/lib/failure.ts'

const rules = {
  field: 'audio_data',
  maxBytes: 1_000,
  tooLarge: () => new Failure('too_large', 'audio_data is too large.'),
}

test('what is base64 comes back as it was, with or without line breaks', () => {
  for (let length = 1; length <= 70; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length) & 255))
    const text = bytes.toString('base64')
    assert.deepEqual(decodeBase64(text, rules), bytes)
  }
  const bytes = Buffer.alloc(200, 7)
  const lines = bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  assert.deepEqual(decodeBase64(`${lines}\n`, rules), bytes)
})

const wrong: [string, RegExp][] = [
  ['data:audio/wav;base64,UklGRg==', /data: URI/],
  ['', /must not be empty/],
  ['\n', /must not be empty/],
  ['UklGR', /padding is wrong/],
  ['UklGRg', /padding is wrong/],
  ['UklGRg=', /padding is wrong/],
  ['UklG====', /padding is wrong/],
  ['U===', /padding is wrong/],
  ['Uk=G', /padding is wrong/],
  ['UklGRg==UklGRg==', /padding is wrong/],
  ['Uk-_', /URL-safe/],
  ['Ukl GR==', /not base64/],
  ['Ukl!', /not base64/],
  ['Ukl\u0141', /not base64/],
  ['Uk\0G', /not base64/],
  ['habari y', /not base64/],
]
for (const [text, message] of wrong) {
  test(`refused: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => decodeBase64(text, rules),
      (error) =>
        error instanceof Failure && error.kind === 'invalid' && message.test(error.message),
    )
  })
}

test('the size is known, to the byte, before anything is decoded', () => {
  assert.equal(decodeBase64(Buffer.alloc(1_000).toString('base64'), rules).length, 1_000)
  assert.throws(() => decodeBase64(Buffer.alloc(1_001).toString('base64'), rules), /too large/)
  assert.throws(() => decodeBase64('!'.repeat(4_000), rules), /too large/)
})

test('lines that are very short are refused before they are joined', () => {
  const text = 'UklG\n'.repeat(10_000)
  assert.throws(() => decodeBase64(text, { ...rules, maxBytes: 1e6 }), /lines of fewer than 32/)
  const lines = `${'UklG'.repeat(8)}\n`.repeat(100)
  assert.equal(decodeBase64(lines, { ...rules, maxBytes: 1e6 }).length, 2_400)
})
