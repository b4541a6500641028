/** Seconds of sound; undefined where they cannot be measured. */
export type Length = number | undefined

/**
 * A file of which less than half could be read may be longer than what was read. Pictures and tags
 * beside the sound are smaller than that.
 */
export function mostlyRead(seconds: number, readBytes: number, allBytes: number): Length {
  return seconds > 0 && readBytes * 2 >= allBytes ? seconds : undefined
}

/** No camera takes more pictures a second. */
const MOST_PICTURES_PER_S = 120

/** Times can be written at will, pictures cannot. */
export function longestFilm(seconds: number, pictures: number): number {
  return Math.max(seconds, pictures / MOST_PICTURES_PER_S)
}
