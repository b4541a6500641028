/** Of the 32 configurations of an Opus packet, the samples of a frame at 48 kHz (RFC 6716, 3.1). */
const SILK = [480, 960, 1_920, 2_880]
const HYBRID = [480, 960]
const CELT = [120, 240, 480, 960]
const MOST_SAMPLES = 5_760

export const OPUS_RATE = 48_000

/** How long a packet lasts stands in its first two bytes. */
export function opusSamples(bytes: Buffer, start: number, end: number): number {
  if (start >= end) return 0
  const head = bytes[start]!
  const config = head >> 3
  const frame =
    config < 12 ? SILK[config & 3]! : config < 16 ? HYBRID[config & 1]! : CELT[config & 3]!
  return Math.min(MOST_SAMPLES, frame * frameCount(head & 3, bytes, start + 1, end))
}

function frameCount(code: number, bytes: Buffer, at: number, end: number): number {
  if (code === 3) return at < end ? bytes[at]! & 63 : 0
  return code === 0 ? 1 : 2
}
