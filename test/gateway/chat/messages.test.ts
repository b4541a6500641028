import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessages } from '../../../src/gateway/chat/messages.ts'
import { measureFiles } from '../../../src/gateway/media-parts.ts'
import { promptSize, promptTokens } from '../../../src/gateway/price/prompt-size.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { makePdf } from '../../support/samples/pdf.ts'

const user = (content: unknown) => [{ role: 'user', content }]

async function measured(messages: unknown[]) {
  const reading = readMessages(messages)
  await measureFiles(reading)
  return reading
}

test('text is left to be measured with the rest of the body', () => {
  const reading = readMessages([
    { role: 'user', content: [{ type: 'text', text: 'é' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '42' },
  ])
  assert.deepEqual([...reading.modalities], ['text'])
  assert.deepEqual([reading.mediaBytes, reading.mediaTokens, reading.audioTokens], [0, 0, 0])
})

test('media are counted and their modalities listed', async () => {
  const reading = await measured(
    user([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'video_url', video_url: { url: 'https://example.com/v.mp4' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
    ]),
  )
  assert.deepEqual([...reading.modalities], ['text', 'image', 'video', 'audio', 'file'])
  const { imageCount, mediaBytes, mediaTokens, audioTokens, unknown } = reading
  assert.deepEqual([imageCount, mediaBytes], [1, 12])
  // The three bytes of the file are no PDF, and count as text.
  assert.equal(reading.fileTextBytes, 3)
  // The sound has no length that could be read, and the film is behind a link.
  assert.deepEqual([mediaTokens, audioTokens], [1_600, 0])
  assert.deepEqual(unknown, { usualTokens: 16_001, mostTokens: Infinity })
})

test('a picture of an earlier answer is measured as a picture', () => {
  const url = `data:image/png;base64,${'A'.repeat(400_000)}`
  const images = [{ type: 'image_url', image_url: { url } }]
  const reading = readMessages([{ role: 'assistant', content: 'Tazama', images }])
  assert.deepEqual([reading.imageCount, reading.mediaTokens], [1, 1_600])
  assert.equal(reading.mediaBytes, 400_000)
})

/** [what, part, the least tokens that it must count] */
const inBase64 = (bytes: Buffer, type: string) => `data:${type};base64,${bytes.toString('base64')}`
const text = Buffer.from('habari ya leo '.repeat(20_000))
const onePage = Buffer.concat([makePdf(1), Buffer.alloc(15 * 1024 * 1024 - 1_000)])
const disguised: [string, object, number][] = [
  ['text as a file', { type: 'file', file: { file_data: inBase64(text, 'text/plain') } }, 93_000],
  [
    'text as a PDF',
    { type: 'file', file: { file_data: inBase64(text, 'application/pdf') } },
    93_000,
  ],
  [
    'text of no type',
    { type: 'file', file: { file_data: inBase64(text, 'application/octet-stream') } },
    93_000,
  ],
  [
    'text as a picture',
    { type: 'image_url', image_url: { url: inBase64(text, 'text/plain') } },
    93_000,
  ],
  [
    'a drawing in text',
    { type: 'image_url', image_url: { url: inBase64(text, 'image/svg+xml') } },
    93_000,
  ],
  [
    'a large PDF that claims one page',
    { type: 'file', file: { file_data: inBase64(onePage, 'application/pdf') } },
    157_000,
  ],
  [
    'a PDF of 100 pages',
    { type: 'file', file: { file_data: inBase64(makePdf(100), 'application/pdf') } },
    150_000,
  ],
]
for (const [what, part, least] of disguised) {
  test(`inline data counts for what the model will read: ${what}`, async () => {
    const messages = user([part])
    const tokens = promptTokens(promptSize({ messages }, await measured(messages)))
    assert.ok(tokens >= least && tokens < least * 1.1, String(tokens))
  })
}

test('sound that packs hours into few bytes counts by its length', async () => {
  // 8,000 bits a second: a thousand bytes are a second, and a second is 32 tokens.
  const frame = Buffer.concat([Buffer.from([0xff, 0xe3, 0x18, 0xc4]), Buffer.alloc(68)])
  const data = Buffer.concat(Array<Buffer>(10_000).fill(frame)).toString('base64')
  const { audioTokens } = await measured(
    user([{ type: 'input_audio', input_audio: { data, format: 'mp3' } }]),
  )
  assert.ok(audioTokens > 20_000, String(audioTokens))
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
  ['sound by its id', [{ role: 'assistant', audio: { id: 'a' } }], 'messages[0].audio'],
  ['tool call odd', [{ role: 'assistant', tool_calls: [1] }], 'messages[0].tool_calls[0].function'],
  [
    'file id',
    user([{ type: 'file', file: { file_id: 'f' } }]),
    'messages[0].content[0].file.file_data',
  ],
  [
    'too many messages',
    Array.from({ length: 10_001 }, () => ({ role: 'user', content: '' })),
    'messages',
  ],
  [
    'too many parts',
    user(Array.from({ length: 10_001 }, () => ({ type: 'text', text: '' }))),
    'messages',
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

test('more than a hundred audio, video and file parts are not looked into; pictures may be more', () => {
  const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
  const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  const half = Array.from({ length: 50 }, () => [sound, file, picture, picture]).flat()
  assert.equal(readMessages(user(half)).files?.length, 100)
  assert.throws(() => readMessages([...user(half), ...user([file])]), /more than 100 audio/)
})
