import { inflateSync } from 'node:zlib'

const STREAM = /stream\r?\n/g

/** The pages of a PDF, and all that is written on them, read as a viewer reads it: unpacked. */
export function pdfText(bytes: Buffer): { pages: number; text: string } {
  const source = bytes.toString('latin1')
  const texts = [...source.matchAll(STREAM)].flatMap(({ index, 0: word }) => {
    if (source.slice(index - 3, index) === 'end') return []
    return [unpacked(bytes.subarray(index + word.length))]
  })
  const all = [source, ...texts].join('\n')
  const pages = all.match(/\/Type\s*\/Page\b/g)?.length ?? 1
  return { pages, text: [...all.matchAll(/\(([^()]*)\)\s*Tj/g)].map(([, said]) => said).join('') }
}

function unpacked(packed: Buffer): string {
  try {
    return inflateSync(packed).toString('latin1')
  } catch {
    return ''
  }
}
