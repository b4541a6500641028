/**
 * Incoming items with back-pressure: nothing is read ahead of `take()` beyond a small queue. Only
 * `more()` waits; `take()` is synchronous, which saves a promise for each step from bytes to
 * chunks.
 */
export type Source<Item> = {
  /** An item, the end or an error can be taken. */
  readonly ready: boolean
  /** Resolves when ready. Never rejects: `take()` throws. */
  more(): Promise<void>
  /** What has arrived; undefined at the end. Throws the error. Call only when ready. */
  take(): Item | undefined
  /** Our reader has no room: the upstream's clocks stop until the next `more()` or `take()`. */
  rest(): void
  /** Closes the socket, at any time. */
  cancel(): void
}
