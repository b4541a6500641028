import { Failure } from '../../lib/failure.ts'
import { requireAudio, type AudioFormat } from '../media/audio-format.ts'
import { decodeBase64 } from '../media/base64.ts'
import type { Length } from '../media/length.ts'
import { measure } from '../media/measure.ts'

export const AUDIO_CAP_BYTES = 25 * 1024 * 1024

/** A recording that has been checked and measured. */
export type Recording = { bytes: Buffer; format: AudioFormat; seconds: Length }

/** Bytes that came as base64 in a JSON member. */
export async function recordingFromText(
  text: string,
  claim: { format: AudioFormat; dataField: string; formatField: string },
): Promise<Recording> {
  const field = claim.dataField
  const bytes = decodeBase64(text, { field, maxBytes: AUDIO_CAP_BYTES, tooLarge: tooLarge(field) })
  const format = requireAudio(bytes, { field: claim.formatField, format: claim.format })
  return measuredRecording(bytes, format)
}

export async function recordingFromFile(bytes: Buffer, field: string): Promise<Recording> {
  if (bytes.length > AUDIO_CAP_BYTES) throw tooLarge(field)()
  return measuredRecording(bytes, requireAudio(bytes, { field }))
}

async function measuredRecording(bytes: Buffer, format: AudioFormat): Promise<Recording> {
  const measured = await measure({ content: bytes, type: `audio/${format}` })
  return { bytes, format, seconds: measured?.kind === 'sound' ? measured.seconds : undefined }
}

function tooLarge(field: string): () => Failure {
  return () => new Failure('too_large', `${field}: audio is limited to 25 MiB.`, { param: field })
}
