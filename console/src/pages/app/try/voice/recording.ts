/** A recording with the name of its format in the API, and how long it is as far as we know. */
export type Recording = { blob: Blob; format: string; seconds: number; name: string }

const FORMATS: Record<string, string> = {
  'audio/webm': 'webm',
  'video/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/m4a': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/aac': 'aac',
}

export const AUDIO_TYPES = [...Object.keys(FORMATS), '.m4a', '.mp3', '.ogg', '.wav'].join(',')
export const MOST_AUDIO_BYTES = 25 * 1024 * 1024

/** By what the browser says of it, else by the end of its name. */
export function formatOf(type: string, name: string): string | undefined {
  const known = FORMATS[type.split(';')[0]!.trim().toLowerCase()]
  const ending = name.toLowerCase().split('.').at(-1)!
  return known ?? Object.values(FORMATS).find((format) => format === ending)
}

/** The first kind of recording that this browser makes; all of them are small. */
export function recorderType(): string | undefined {
  const wanted = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus', 'audio/webm']
  if (typeof MediaRecorder === 'undefined') return undefined
  return wanted.find((type) => MediaRecorder.isTypeSupported(type))
}

export async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  // In pieces, because the number of arguments is limited.
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  }
  return btoa(text)
}

export function blobOf(base64: string, type: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type })
}
