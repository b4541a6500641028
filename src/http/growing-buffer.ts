const FIRST_BYTES = 16 * 1024
const EMPTY = Buffer.alloc(0)

/**
 * Bytes of a body as they come, in one piece of memory: a list of chunks joined at the end would
 * need the room twice. The told length is only a first guess, and costs nothing until it is filled.
 */
export class GrowingBuffer {
  readonly limitBytes: number
  readonly #likelyBytes: number
  #room: Buffer = EMPTY
  #length = 0

  constructor(likelyBytes: number, limitBytes: number) {
    this.limitBytes = limitBytes
    this.#likelyBytes = Number.isSafeInteger(likelyBytes) ? likelyBytes : 0
  }

  /** False when it would be more than the limit; then nothing is taken. */
  take(chunk: Buffer): boolean {
    const length = this.#length + chunk.length
    if (length > this.limitBytes) return false
    // A small body comes in one chunk: nothing is copied.
    if (this.#length === 0 && chunk.length >= this.#likelyBytes) this.#room = chunk
    else this.#copy(chunk, length)
    this.#length = length
    return true
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  #copy(chunk: Buffer, length: number): void {
    if (length > this.#room.length) {
      const wished = Math.max(length, this.#likelyBytes, this.#length * 2, FIRST_BYTES)
      const room = Buffer.allocUnsafeSlow(Math.min(wished, this.limitBytes))
      this.#room.copy(room, 0, 0, this.#length)
      this.#room = room
    }
    chunk.copy(this.#room, this.#length)
  }
}
