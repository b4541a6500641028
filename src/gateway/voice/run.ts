import type { Dropped, Line, Stage } from '../bill/rows.ts'
import { dropOf } from '../bill/billable.ts'
import type { Usage } from '../billed-call.ts'

/** One stage of a flow, ready to be done. */
export type StageWork<Result> = {
  stage: Stage
  work(signal: AbortSignal): Promise<Result>
  usage(result: Result): Usage
}

/** The walk through the stages: what has run, and which stage it stands in. */
export class VoiceRun {
  readonly lines: Line[] = []
  readonly #signal: AbortSignal
  #stage: Stage
  #startedMs = performance.now()

  constructor(signal: AbortSignal, first: Stage) {
    this.#signal = signal
    this.#stage = first
  }

  async stage<Result>(next: StageWork<Result>): Promise<Result> {
    this.#stage = next.stage
    this.#startedMs = performance.now()
    this.#signal.throwIfAborted()
    const result = await next.work(this.#signal)
    const latencyMs = performance.now() - this.#startedMs
    this.lines.push({ ...next.usage(result), stage: next.stage, latencyMs })
    return result
  }

  /** The stage it broke in has the error; those before it have their records and no charge. */
  end(error: unknown): Dropped & { ran: Line[] } {
    const latencyMs = performance.now() - this.#startedMs
    const ran = this.lines.filter((line) => line.stage !== this.#stage)
    return { ...dropOf(error, this.#stage, latencyMs, this.#signal), ran }
  }
}
