import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessages } from '../../../src/gateway/chat/messages.ts'
import { Failure } from '../../../src/lib/failure.ts'

const user = (content: unknown) => [{ role: 'user', content }]

test('text is measured in bytes, wherever it appears', () => {
  const reading = readMessages([
    { role: 'system', content: 'Jibu kwa Kiswahili' },
    { role: 'user', content: [{ type: 'text', text: 'é' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '42' },
  ])
  assert.equal(reading.textBytes, 18 + 2 + 3 + 2)
  assert.deepEqual([...reading.modalities], ['text'])
})

test('media are counted and their modalities listed', () => {
  const reading = readMessages(
    user([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'video_url', video_url: { url: 'https://example.com/v.mp4' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
    ]),
  )
  assert.deepEqual([...reading.modalities], ['text', 'image', 'video', 'audio', 'file'])
  assert.equal(reading.imageCount, 1)
  assert.ok(reading.mediaTokens > 10_000)
})

const refused: [string, unknown[], string][] = [
  ['null message', [null], 'messages[0]'],
  ['no role', [{ content: 'x' }], 'messages[0].role'],
  ['hostile role', [{ role: '__proto__', content: 'x' }], 'messages[0].role'],
  ['content number', user(5), 'messages[0].content'],
  ['content missing', [{ role: 'user' }], 'messages[0].content'],
  ['content empty list', user([]), 'messages[0].content'],
  ['part without type', user([{}]), 'messages[0].content[0].type'],
  ['part of inherited type', user([{ type: 'toString' }]), 'messages[0].content[0].type'],
  ['tool without id', [{ role: 'tool', content: 'x' }], 'messages[0].tool_call_id'],
  ['tool call odd', [{ role: 'assistant', tool_calls: [1] }], 'messages[0].tool_calls[0].function'],
  [
    'file id',
    user([{ type: 'file', file: { file_id: 'f' } }]),
    'messages[0].content[0].file.file_data',
  ],
]
for (const [name, messages, field] of refused) {
  test(`refused, and the field is named: ${name}`, () => {
    assert.throws(
      () => readMessages(messages),
      (error) => error instanceof Failure && error.kind === 'invalid' && error.param === field,
    )
  })
}

for (const url of [
  'http://example.com/a.png',
  'https://127.0.0.1/a',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://169.254.169.254/latest',
  'https://localhost/',
  'https://localhost./',
  'https://user:secret@example.com/',
  'https://good.com:443@10.0.0.1/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'data:image/png,notbase64',
  'javascript:alert(1)',
  'nonsense',
]) {
  test(`a picture from ${url} is refused`, () => {
    assert.throws(
      () => readMessages(user([{ type: 'image_url', image_url: { url } }])),
      (error) => error instanceof Failure && error.kind === 'invalid',
    )
  })
}
