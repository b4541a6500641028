import type { Socket } from 'node:net'

/** How often connections are looked at. */
export const LOOK_MS = 15_000
/** Looks without progress: a minute. */
const MOST_LOOKS = 4
/** Of a message that comes too slowly. */
const MOST_SLOW_LOOKS = 2

/**
 * Whether anything moves on a connection. While something is to be read, only that it is read counts:
 * who writes and never reads has left too.
 */
export class SocketProgress {
  readonly #stream: Socket
  readonly #leastBytes: number
  #mark = ''
  #same = 0
  #bytesRead = 0
  #slow = 0

  /** `bytesPerS`: how fast a message has to come at least; 0: as slowly as it likes. */
  constructor(stream: Socket, bytesPerS: number) {
    this.#stream = stream
    this.#leastBytes = (bytesPerS * LOOK_MS) / 1_000
  }

  isStuck(arrivingBytes: number): boolean {
    const { bytesRead } = this.#stream
    const mark = this.#markNow()
    this.#same = mark === this.#mark ? this.#same + 1 : 0
    this.#mark = mark
    const isSlow = arrivingBytes > 0 && bytesRead - this.#bytesRead < this.#leastBytes
    this.#slow = isSlow ? this.#slow + 1 : 0
    this.#bytesRead = bytesRead
    return this.#same >= MOST_LOOKS || this.#slow > MOST_SLOW_LOOKS
  }

  #markNow(): string {
    const { bytesRead, bytesWritten, writableLength } = this.#stream
    if (writableLength === 0) return `read ${bytesRead}`
    return `taken ${bytesWritten - writableLength} of ${unsentBytes(this.#stream)}`
  }
}

/** What the system has not taken of the chunk at work. Node looks at it for its own time limits. */
function unsentBytes(stream: Socket): number {
  const { _handle: handle } = stream as { _handle?: { writeQueueSize?: number } }
  return handle?.writeQueueSize ?? 0
}
