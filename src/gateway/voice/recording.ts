import { Failure } from '../../lib/failure.ts'
import { requireAudio, type AudioFormat } from '../media/audio-format.ts'
import { decodeBase64 } from '../media/base64.ts'

export const AUDIO_CAP_BYTES = 25 * 1024 * 1024

/** A recording that has been checked. */
export type Recording = { bytes: Buffer; format: AudioFormat }

/** Bytes that came as base64 in a JSON member. */
export function recordingFromText(
  text: string,
  claim: { format: AudioFormat; dataField: string; formatField: string },
): Recording {
  const field = claim.dataField
  const bytes = decodeBase64(text, { field, maxBytes: AUDIO_CAP_BYTES, tooLarge: tooLarge(field) })
  const format = requireAudio(bytes, { field: claim.formatField, format: claim.format })
  return { bytes, format }
}

export function recordingFromFile(bytes: Buffer, field: string): Recording {
  if (bytes.length > AUDIO_CAP_BYTES) throw tooLarge(field)()
  return { bytes, format: requireAudio(bytes, { field }) }
}

function tooLarge(field: string): () => Failure {
  return () => new Failure('too_large', `${field}: audio is limited to 25 MiB.`, { param: field })
}
