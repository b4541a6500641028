import { invalidField } from '../../lib/failure.ts'
import { docType } from './ebml.ts'
import { isAudioOnly } from './mp4-boxes.ts'

export type MediaKind = 'document' | 'vision' | 'video'

/** The bytes must be of an accepted type, and of the claimed one. */
export function requireMedia(
  bytes: Buffer,
  claim: { kind: MediaKind; field: string; mediaType: string | undefined },
): string {
  const { kind, field } = claim
  if (bytes.length === 0) throw invalidField(field, 'is empty')
  const found = mediaType(bytes)
  if (found === undefined || !ACCEPTED[kind].includes(found)) {
    throw invalidField(field, `must be ${WORDS[kind]}; this file is not`)
  }
  const claimed = canonical(claim.mediaType)
  if (claimed !== undefined && claimed !== found) {
    throw invalidField(field, `is declared as ${claimed}, but the bytes are ${found}`)
  }
  return found
}

const ACCEPTED: Record<MediaKind, readonly string[]> = {
  document: ['application/pdf'],
  vision: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  video: ['video/mp4', 'video/mpeg', 'video/quicktime', 'video/webm'],
}
const WORDS: Record<MediaKind, string> = {
  document: 'a PDF',
  vision: 'a JPEG, PNG, WebP or GIF image',
  video: 'an MP4, MPEG, MOV or WebM video',
}
const KNOWN = new Set(Object.values(ACCEPTED).flat())
const OTHER_NAMES: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/apng': 'image/png',
  'application/x-pdf': 'application/pdf',
  'video/x-m4v': 'video/mp4',
  'video/mov': 'video/quicktime',
  'video/mpg': 'video/mpeg',
}

/** A generic type such as `application/octet-stream` is no claim. */
function canonical(claimed: string | undefined): string | undefined {
  const word = (claimed ?? '').split(';')[0]!.trim().toLowerCase()
  const name = OTHER_NAMES[word] ?? word
  return KNOWN.has(name) ? name : undefined
}

/** Recognised by the first bytes. */
export function mediaType(bytes: Buffer): string | undefined {
  const plain = MAGIC.find(([magic]) => bytes.subarray(0, magic.length).equals(magic))
  if (plain !== undefined) return plain[1]
  if (word(bytes, 0) === 'RIFF') return word(bytes, 8) === 'WEBP' ? 'image/webp' : undefined
  if (word(bytes, 4) === 'ftyp') return brandType(bytes)
  if (BARE_QUICKTIME.has(word(bytes, 4))) return 'video/quicktime'
  return docType(bytes) === 'webm' ? 'video/webm' : undefined
}

const MAGIC: [Buffer, string][] = [
  [Buffer.from('%PDF-'), 'application/pdf'],
  [Buffer.from('\uFEFF%PDF-'), 'application/pdf'],
  [Buffer.from([0xff, 0xd8, 0xff]), 'image/jpeg'],
  [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), 'image/png'],
  [Buffer.from('GIF87a'), 'image/gif'],
  [Buffer.from('GIF89a'), 'image/gif'],
  [Buffer.from([0, 0, 1, 0xba]), 'video/mpeg'],
  [Buffer.from([0, 0, 1, 0xb3]), 'video/mpeg'],
]
/** Also such as upstreams take and the analyze routes do not: HEIC, AVIF, BMP, TIFF. */
export function isPicture(bytes: Buffer): boolean {
  if (mediaType(bytes)?.startsWith('image/')) return true
  if (word(bytes, 4) === 'ftyp') return STILL_BRANDS.test(word(bytes, 8))
  return OTHER_PICTURES.has(word(bytes, 0)) || word(bytes, 0).startsWith('BM')
}

const STILL_BRANDS = /^(?:hei|hev|mif1|msf1|avi)/
const OTHER_PICTURES = new Set(['II*\0', 'MM\0*'])
const BARE_QUICKTIME = new Set(['moov', 'mdat', 'wide', 'free', 'skip'])
/** The same container also holds still pictures, 3GP recordings and music. */
const OTHER_BRANDS = /^(?:3g|hei|hev|mif1|msf1|avi|M4A|M4B|M4P)/

function brandType(bytes: Buffer): string | undefined {
  const brand = word(bytes, 8)
  if (brand === 'qt  ') return 'video/quicktime'
  return OTHER_BRANDS.test(brand) || isAudioOnly(bytes) ? undefined : 'video/mp4'
}

/** Four characters. */
export function word(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 4)
}
