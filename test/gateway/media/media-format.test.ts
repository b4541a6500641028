import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILM } from '../../../simulator/models/film.ts'
import { measureFile } from '../../../src/gateway/media/measured.ts'
import { mediaType, requireMedia } from '../../../src/gateway/media/media-format.ts'
import { fileSize } from '../../../src/gateway/price/media-tokens.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((one) => Buffer.from(one as string, 'latin1')))
const box = (brand: string) => bytes([0, 0, 0, 24], 'ftyp', brand, [0, 0, 0, 0], 'isomavc1')
const ebml = (type: string) =>
  bytes([0x1a, 0x45, 0xdf, 0xa3, 0x80 + 3 + type.length, 0x42, 0x82, 0x80 + type.length], type)

const KNOWN: [string, Buffer, string | undefined][] = [
  ['pdf', bytes('%PDF-1.7\n'), 'application/pdf'],
  ['pdf after a byte order mark', bytes([0xef, 0xbb, 0xbf], '%PDF-1.7'), 'application/pdf'],
  ['pdf at byte 1,000', bytes('x'.repeat(1_000), '%PDF-1.7'), undefined],
  ['html before a pdf', bytes('<html>%PDF-1.7'), undefined],
  ['jpeg', bytes([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'],
  ['png', bytes([0x89], 'PNG\r\n', [0x1a], '\n'), 'image/png'],
  ['gif', bytes('GIF89a'), 'image/gif'],
  ['webp', bytes('RIFF', [9, 0, 0, 0], 'WEBPVP8 '), 'image/webp'],
  ['wav', bytes('RIFF', [9, 0, 0, 0], 'WAVEfmt '), undefined],
  ['svg', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined],
  ['mp4', FILM, 'video/mp4'],
  ['m4v', box('M4V '), 'video/mp4'],
  ['mov', box('qt  '), 'video/quicktime'],
  ['old mov', bytes([0, 0, 0, 8], 'wide', [0, 0, 0, 8], 'mdat'), 'video/quicktime'],
  ['heic', box('heic'), undefined],
  ['avif', box('avif'), undefined],
  ['3gp', box('3gp4'), undefined],
  ['m4a', box('M4A '), undefined],
  ['mpeg program stream', bytes([0, 0, 1, 0xba, 0x44]), 'video/mpeg'],
  ['mpeg elementary stream', bytes([0, 0, 1, 0xb3, 0x14]), 'video/mpeg'],
  ['webm', ebml('webm'), 'video/webm'],
  ['matroska', ebml('matroska'), undefined],
  ['nothing', bytes(''), undefined],
  ['one byte', bytes([0xff]), undefined],
]
for (const [name, content, type] of KNOWN) {
  test(`${name}: ${type ?? 'not ours'}`, () => assert.equal(mediaType(content), type))
}

test('bytes must be what the route takes and what they are declared as', () => {
  const claim = (kind: 'document' | 'vision' | 'video', mediaType?: string) => ({
    kind,
    field: 'file',
    mediaType,
  })
  assert.equal(requireMedia(FILM, claim('video', 'application/octet-stream')), 'video/mp4')
  assert.equal(requireMedia(FILM, claim('video', 'video/x-m4v')), 'video/mp4')
  assert.throws(
    () => requireMedia(box('qt  '), claim('video', 'video/mp4')),
    /declared as video\/mp4/,
  )
  assert.throws(() => requireMedia(FILM, claim('vision')), /JPEG, PNG, WebP or GIF/)
  assert.throws(() => requireMedia(Buffer.alloc(0), claim('document')), /empty/)
})

test('a video is estimated by its length', () => {
  const { usualTokens, mostTokens } = fileSize(measureFile(FILM, 'video/mp4'), FILM.length)
  assert.deepEqual([usualTokens, mostTokens], [600, 600])
  const lying = Buffer.from(FILM)
  lying.writeUInt32BE(0xffffffff, lying.indexOf('mvhd') + 4 + 16)
  assert.equal(fileSize(measureFile(lying, 'video/mp4'), FILM.length).mostTokens, 600)
  assert.equal(fileSize({ kind: 'picture' }, 9).mostTokens, 1_600)
})

test('the text of a PDF may have a token in each byte, and counts as text beyond its pages', () => {
  const sizeOf = (textBytes: number) => fileSize({ kind: 'pdf', size: { pages: 2, textBytes } }, 9)
  const usualTokens = 3_000
  assert.deepEqual(sizeOf(2_900), { usualTokens, mostTokens: 3_000, textBytes: 0 })
  assert.deepEqual(sizeOf(8_000), { usualTokens, mostTokens: 8_000, textBytes: 0 })
  assert.deepEqual(sizeOf(12_000), { usualTokens, mostTokens: 9_000, textBytes: 3_000 })
})
