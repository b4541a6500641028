/**
 * What comes in piece by piece, with back-pressure: nothing is read ahead of `take()` beyond one
 * small queue. Only `more()` waits; `take()` is synchronous, so that bytes become events and events
 * become chunks without a promise for each step.
 */
export type Source<Item> = {
  /** Something can be taken: an item, the end, or what broke it. */
  readonly ready: boolean
  /** Resolves once it is ready. Never rejects: `take()` throws instead. */
  more(): Promise<void>
  /** What is here; undefined at the end. Throws what broke it. Call it only when ready. */
  take(): Item | undefined
  /** Our own reader has no room: until the next `more()` or `take()` the upstream's clocks stand still. */
  rest(): void
  /** Closes the socket at any time, also before the first `take()`. After that it is at its end. */
  cancel(): void
}
