import { Failure } from '../../lib/failure.ts'
import type { RunningCall, RunningCalls } from './capacity.ts'

const WINDOW_MS = 20_000

/** How far a body had come, and when. */
type Mark = { bytes: number; atMs: number }

/**
 * Ends bodies that stall: those of which less arrives in 20 seconds than the setting asks for. A
 * caller who sends more may take half an hour: 14 MB over a line of 20 kB a second are 12 minutes.
 */
export class SlowBodies {
  readonly #running: RunningCalls
  readonly #leastBytes: number
  #marks = new Map<RunningCall, Mark>()

  constructor(running: RunningCalls, bytesPerS: number) {
    this.#running = running
    this.#leastBytes = (bytesPerS * WINDOW_MS) / 1_000
  }

  /** Called every few seconds, instead of a timer for each call. */
  look(nowMs: number): void {
    if (this.#leastBytes === 0) return
    const marks = new Map<RunningCall, Mark>()
    for (const call of this.#running.all()) {
      if (call.cutBody === undefined) continue
      const mark = this.#marks.get(call)
      const moved = mark === undefined || call.arrivedBytes - mark.bytes >= this.#leastBytes
      if (moved) marks.set(call, { bytes: call.arrivedBytes, atMs: nowMs })
      else if (nowMs - mark.atMs < WINDOW_MS) marks.set(call, mark)
      else call.cutBody(tooSlow())
    }
    this.#marks = marks
  }
}

function tooSlow(): Failure {
  return new Failure('too_slow', 'The request body arrived too slowly. Please send it again.')
}
