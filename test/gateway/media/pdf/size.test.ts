import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { pdfSize } from '../../../../src/gateway/media/pdf/size.ts'
import { sampleFile } from '../../../support/samples/files.ts'
import { makePdf, makePdfBomb, packedPdf, pdfOf } from '../../../support/samples/pdf.ts'

const pagesOf = (bytes: Buffer) => pdfSize(bytes)?.pages
const textOf = (bytes: Buffer) => pdfSize(bytes)?.textBytes ?? -1

test('pages listed in plain text are counted', () => {
  for (const pages of [1, 3, 700]) assert.equal(pagesOf(makePdf(pages)), pages)
})

const claimed = (name: string, text: string, lie: string) => {
  const bytes = sampleFile(name)
  const at = bytes.indexOf(text)
  assert.ok(at > 0)
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(lie), bytes.subarray(at + text.length)])
}
const PAGE = '<< /Type /Page /Parent 2 0 R >>'
const tree = (kids: string, count: number) => `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`
const liars: [what: string, bytes: Buffer, pages: number][] = [
  ['a tree that counts one of three', claimed('office.pdf', '/Count 3', '/Count 1'), 3],
  ['the header of a file for the web', claimed('packed.pdf', '/N 3', '/N 1'), 3],
  ['one page that is shown 500 times', pdfOf([tree('3 0 R '.repeat(500), 1), PAGE]), 500],
  ['a tree that counts more than it shows', pdfOf([tree('3 0 R', 40), PAGE]), 40],
  ['a name that is written in another way', pdfOf([tree('', 0), '<</#54ype/#50age>>']), 1],
  ['pages that are packed', packedPdf(Array.from({ length: 25 }, () => PAGE)), 25],
  ['an older version of a page', Buffer.concat([makePdf(2), makePdf(2)]), 2],
]
for (const [what, bytes, pages] of liars) {
  test(`the pages are counted, whatever is claimed: ${what}`, () => {
    assert.equal(pagesOf(bytes), pages)
  })
}

const LONG = 'habari ya asubuhi '.repeat(50_000)
const shown = (text: string) => Buffer.from(`BT /F1 12 Tf (${text}) Tj ET`, 'latin1')
const page = (content: Buffer, fields = '/Filter /FlateDecode') => [
  tree('3 0 R', 1),
  '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>',
  { fields, content },
]
const packed = (content: Buffer, fields?: string) => pdfOf(page(deflateSync(content), fields))
const texts: [what: string, bytes: Buffer][] = [
  ['in a packed stream', packed(shown(LONG))],
  ['packed twice', packed(deflateSync(shown(LONG)), '/Filter [/FlateDecode/FlateDecode]')],
  ['not packed', pdfOf(page(shown(LONG), ''))],
  ['in pieces', packed(Buffer.from('[(habari ya )-3 (asubuhi )] TJ '.repeat(50_000)))],
  ['in hexadecimal', packed(Buffer.from(`<${'4A'.repeat(LONG.length)}>Tj`))],
  ['with numbers and words between', packed(Buffer.from(`(${LONG}) foo 9Tj`))],
  ['in place of what is shown', packed(Buffer.from(`/Span<</ActualText(${LONG})>>BDC (x)Tj EMC`))],
  ['behind a picture that opens a string', packed(Buffer.from(`BI ID ( EI (${LONG}) Tj`))],
  ['in a note', pdfOf([tree('3 0 R', 1), PAGE, `<< /Type /Annot /Contents (${LONG}) >>`])],
]
for (const [what, bytes] of texts) {
  test(`text is counted: ${what}`, () => {
    assert.equal(pagesOf(bytes), 1)
    const text = textOf(bytes)
    assert.ok(text >= LONG.length && text < LONG.length * 1.1, String(text))
  })
}

test('text that several pages show counts for each', () => {
  const shows = '<< /Type /Page /Parent 2 0 R /Contents [6 0 R] >>'
  const content = {
    fields: '/Filter /FlateDecode',
    content: deflateSync(shown('x'.repeat(10_000))),
  }
  const bytes = pdfOf([tree('3 0 R 4 0 R 5 0 R', 3), shows, shows, shows, content])
  assert.equal(textOf(bytes), 30_000)
})

test('pictures and fonts are no text', () => {
  const noise = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7_919 + (i >> 3)) % 251))
  const picture = { fields: '/Subtype /Image /Filter /FlateDecode', content: deflateSync(noise) }
  const font = { fields: '/Filter /FlateDecode', content: deflateSync(noise) }
  const about = '<< /Type /FontDescriptor /FontFile2 5 0 R >>'
  const bytes = pdfOf([tree('3 0 R', 1), PAGE, picture, font, about])
  assert.ok(textOf(bytes) >= 0 && textOf(bytes) < 1_000, String(textOf(bytes)))
})

const unknown: [what: string, bytes: Buffer][] = [
  ['nothing', Buffer.from('')],
  ['no pages', Buffer.from('%PDF-1.7 garbage')],
  ['encrypted', sampleFile('locked.pdf')],
  ['packed in another way', packed(shown(LONG), '/Filter /LZWDecode')],
  ['a filter that is named elsewhere', packed(shown(LONG), '/Filter 9 0 R')],
  [
    'lines as differences',
    packed(shown(LONG), '/Filter /FlateDecode /DecodeParms <</Predictor 12>>'),
  ],
  [
    'a page that shows a picture as its text',
    packed(shown(LONG), '/Subtype /Image /Filter /FlateDecode'),
  ],
  ['packed wrongly', pdfOf(page(Buffer.from('not packed')))],
  ['a bomb', packed(Buffer.alloc(100 * 1024 * 1024, 'x'))],
  ['a bomb in a bomb', makePdfBomb(400)],
  [
    'letters that stand for books',
    packed(Buffer.from(`1 beginbfchar <01> <${'0041'.repeat(99)}> endbfchar`)),
  ],
]
for (const [what, bytes] of unknown) {
  test(`what cannot be counted is unknown: ${what}`, () => assert.equal(pdfSize(bytes), undefined))
}

test('the worst files have an end', () => {
  const size = 3 * 1024 * 1024
  const floods = [
    '/Type /Page ',
    '1 0 obj<</Type/Page>>',
    '1 0 obj<<',
    '[',
    '<<',
    '(',
    '<',
    '/a',
    '% ',
    '1 0 obj(',
    '1 0 obj<<(',
  ]
  for (const flood of floods) pdfSize(Buffer.alloc(size, flood))
  const tiny = { fields: '/Filter /FlateDecode', content: deflateSync(Buffer.from('x')) }
  assert.equal(pdfSize(pdfOf([PAGE, ...Array.from({ length: 40_000 }, () => tiny)])), undefined)
})
