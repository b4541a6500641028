import { deflateSync } from 'node:zlib'

/** A small, valid PDF with as many blank pages. */
export function makePdf(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, i) => `${i + 3} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>'),
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const start = text.length
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

type PdfPart = string | { fields: string; content: Buffer }

/** Any objects, numbered from 2; object 1 is the catalog. */
export function pdfOf(objects: PdfPart[]): Buffer {
  const parts: PdfPart[] = ['<< /Type /Catalog /Pages 2 0 R >>', ...objects]
  const pieces = parts.flatMap((part, i) => [
    `${i + 1} 0 obj\n`,
    ...(typeof part === 'string' ? [part] : streamOf(part)),
    '\nendobj\n',
  ])
  return Buffer.concat(
    ['%PDF-1.7\n', ...pieces, 'trailer\n<< /Root 1 0 R >>\n%%EOF\n'].map((one) => Buffer.from(one)),
  )
}

function streamOf({ fields, content }: { fields: string; content: Buffer }): (string | Buffer)[] {
  return [`<< ${fields} /Length ${content.length} >>\nstream\n`, content, '\nendstream']
}

/** One page of so many letters, in a few kilobytes. */
export function makeBookPdf(letters: number): Buffer {
  const words = 'habari ya asubuhi '.repeat(Math.ceil(letters / 18)).slice(0, letters)
  return pdfOf([
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>',
    { fields: '/Filter /FlateDecode', content: deflateSync(`BT (${words}) Tj ET`) },
  ])
}

/** The objects packed together, as writers do to save space. */
export function packedPdf(objects: string[]): Buffer {
  let offset = 0
  const numbers = objects.map((object, i) => {
    const pair = `${i + 10} ${offset}`
    offset += object.length + 1
    return pair
  })
  const head = `${numbers.join(' ')} `
  const fields = `/Type /ObjStm /N ${objects.length} /First ${head.length} /Filter /FlateDecode`
  return pdfOf([{ fields, content: deflateSync(Buffer.from(head + objects.join(' '))) }])
}

/** A table of contents that unpacks to so many mebibytes of zeros, twice wrapped: a few kilobytes. */
export function makePdfBomb(mebibytes: number): Buffer {
  const packed = deflateSync(deflateSync(Buffer.alloc(mebibytes * 1024 * 1024), { level: 1 }))
  const head = Buffer.from('%PDF-1.5\n')
  const about =
    '<< /Type /XRef /Size 99999999 /W [1 4 2] /Root 1 0 R ' +
    `/Filter [/FlateDecode /FlateDecode] /Length ${packed.length} >>`
  return Buffer.concat([
    head,
    Buffer.from(`1 0 obj\n${about}\nstream\n`),
    packed,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`),
  ])
}
