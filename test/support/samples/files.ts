import { readFileSync } from 'node:fs'

/** Made by the tools that people use; `files/make.sh` says how. */
export function sampleFile(name: string): Buffer {
  return readFileSync(new URL(`files/${name}`, import.meta.url))
}

const SECONDS = 2
/** The files that last as long, by what they are declared as. */
export const TWO_SECONDS: Record<string, string> = {
  'pcm.wav': 'audio/wav',
  'mulaw.wav': 'audio/wav',
  'ima.wav': 'audio/wav',
  'gsm.wav': 'audio/wav',
  'cbr.mp3': 'audio/mpeg',
  'vbr.mp3': 'audio/mpeg',
  'flac.flac': 'audio/flac',
  'adts.aac': 'audio/aac',
  'aac.m4a': 'audio/mp4',
  'fragments.m4a': 'audio/mp4',
  'alac.m4a': 'audio/mp4',
  'opus.ogg': 'audio/ogg',
  'long-packets.ogg': 'audio/ogg',
  'vorbis.ogg': 'audio/ogg',
  'opus.webm': 'audio/webm',
  'browser.webm': 'audio/webm',
  'vorbis.webm': 'audio/webm',
  'film.mp4': 'video/mp4',
  'film.webm': 'video/webm',
}

export function isTwoSeconds(seconds: number | undefined): boolean {
  return seconds !== undefined && Math.abs(seconds - SECONDS) <= SECONDS / 10
}

/** Each of three pages, with so many letters on all of them. */
export const THREE_PAGES: Record<string, number> = {
  'office.pdf': 7_737,
  'packed.pdf': 7_737,
  'ghostscript.pdf': 7_737,
  'scan.pdf': 0,
}
