import type { AudioFormat } from './audio-format.ts'
import { flacLength } from './flac-length.ts'
import type { Length } from './length.ts'
import { mp4Length } from './mp4-length.ts'
import { aacLength, mp3Length } from './mpeg-length.ts'
import { oggLength } from './ogg-length.ts'
import { wavLength } from './wav-length.ts'
import { webmLength } from './webm-length.ts'

const READERS: Record<AudioFormat, (bytes: Buffer) => Length> = {
  wav: wavLength,
  mp3: mp3Length,
  flac: flacLength,
  m4a: mp4Length,
  ogg: oggLength,
  webm: webmLength,
  aac: aacLength,
}

const LEAST_S = 0.01

/**
 * A recording is as long as its packets: what its container says of its length is not looked at.
 * Undefined where the packets do not tell. Each reader goes forward only, so its time is bounded by
 * the bytes; of 25 MiB made to be slow it is some tenths of a second, in the thread of `measure.ts`.
 */
export function audioSeconds(bytes: Buffer, format: AudioFormat): Length {
  const seconds = READERS[format](bytes)
  return seconds && Math.max(LEAST_S, Math.round(seconds * 100) / 100)
}
