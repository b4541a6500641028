/** How many samples each packet of a Vorbis stream adds. */
export type VorbisStream = { samplesPerS: number; samplesOf(firstByte: number): number }

/** The blocks that a packet may have are listed at the end of the third header. */
export function vorbisStream(about: Buffer, setup: Buffer): VorbisStream | undefined {
  if (about.length < 29 || about.toString('latin1', 1, 7) !== 'vorbis') return undefined
  const samplesPerS = about.readUInt32LE(12)
  const sizes = [1 << (about[28]! & 15), 1 << (about[28]! >> 4)]
  const modes = blockModes(setup)
  if (modes === undefined || samplesPerS === 0) return undefined
  const mask = modes.length === 1 ? 0 : (1 << (32 - Math.clz32(modes.length - 1))) - 1
  let before = 0
  return {
    samplesPerS,
    samplesOf(firstByte) {
      if ((firstByte & 1) === 1) return 0
      const size = sizes[modes[(firstByte >> 1) & mask] ?? 1]!
      const samples = before === 0 ? 0 : (before + size) / 4
      before = size
      return samples
    },
  }
}

const MODE_BITS = 41
const MOST_MODES = 64

/**
 * Read from the end, since what stands before it has no length of its own: a framing bit, then for
 * each mode its mapping, two zeros of 16 bits, and whether its block is a long one; before the modes
 * their number.
 */
function blockModes(setup: Buffer): number[] | undefined {
  const start = framingBit(setup)
  if (start === undefined) return undefined
  const longs: number[] = []
  let found: number[] | undefined
  for (let at = start; longs.length < MOST_MODES; at += MODE_BITS) {
    if (setup.length * 8 - at < MODE_BITS + 6) break
    if (bits(setup, at, 8) > 63 || bits(setup, at + 8, 16) > 0 || bits(setup, at + 24, 16) > 0)
      break
    longs.unshift(bits(setup, at + 40, 1))
    if (bits(setup, at + MODE_BITS, 6) + 1 === longs.length) found = [...longs]
  }
  return found
}

function framingBit(setup: Buffer): number | undefined {
  for (let at = 0; at < Math.min(64, setup.length * 8); at++) {
    if (bits(setup, at, 1) === 1) return at + 1
  }
  return undefined
}

/** `at` counts from the last bit of the file backwards. */
function bits(bytes: Buffer, at: number, count: number): number {
  let value = 0
  for (let bit = at; bit < at + count; bit++) {
    value = value * 2 + ((bytes[bytes.length - 1 - (bit >> 3)]! >> (7 - (bit & 7))) & 1)
  }
  return value
}
