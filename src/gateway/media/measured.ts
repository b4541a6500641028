import { audioFormat } from './audio-format.ts'
import { audioSeconds } from './audio-length.ts'
import type { Length } from './length.ts'
import { isPicture, mediaType, word } from './media-format.ts'
import { mp4FilmLength } from './mp4-length.ts'
import { pdfSize, type PdfSize } from './pdf/size.ts'
import { webmFilmLength } from './webm-length.ts'

/** What a file is, and how long where that can be measured. */
export type Measured =
  | { kind: 'picture' | 'text' | 'packed' }
  | { kind: 'sound' | 'film'; seconds: Length }
  | { kind: 'pdf'; size: PdfSize }

/**
 * By its bytes. The declared type decides only where an upstream reads by it: whatever is not
 * declared as a medium is read as text.
 */
export function measureFile(file: Buffer, declared: string): Measured {
  if (!MEDIA.test(declared)) return { kind: 'text' }
  const sound = audioFormat(file)
  const type = mediaType(file)
  if (sound !== undefined && (type === undefined || declared.startsWith('audio/'))) {
    return { kind: 'sound', seconds: audioSeconds(file, sound) }
  }
  if (type === 'application/pdf') return { kind: 'pdf', size: pdfSize(file) }
  if (type?.startsWith('video/')) return { kind: 'film', seconds: filmLength(file, type) }
  if (isPicture(file)) return { kind: 'picture' }
  if (declared.startsWith('audio/')) return { kind: 'sound', seconds: undefined }
  return { kind: PACKED.has(word(file, 0)) ? 'packed' : 'text' }
}

/** A drawing in SVG is text. */
const MEDIA =
  /^(?:$|image\/(?!svg)|audio\/|video\/|application\/(?:pdf|x-pdf|octet-stream|zip|gzip|msword|epub|vnd\.))/
/** ZIP, as office documents are, gzip, and older office documents. */
const PACKED = new Set(['PK\u0003\u0004', '\u001f\u008b\u0008\u0000', '\u00d0\u00cf\u0011\u00e0'])

function filmLength(file: Buffer, type: string): Length {
  if (type === 'video/webm') return webmFilmLength(file)
  return type === 'video/mpeg' ? undefined : mp4FilmLength(file)
}
