import type { HttpCall, ModelTarget, Provider, Timeouts } from './contract/contract.ts'
import { Fault } from './contract/fault.ts'
import type { Trouble } from './contract/fault.ts'
import type { Place, Sender } from './wire/send.ts'
import { troubleOf } from './contract/trouble.ts'

/** One target, ready to be asked. */
export type Line = {
  provider: Provider
  place: Place
  sender: Sender
  target: ModelTarget
  timeouts: Partial<Timeouts>
  signal: AbortSignal | undefined
  /** What a stream throws when it breaks after it was handed out. */
  broken(error: Troubled): Error
}

/** A fault together with what it means. */
export class Troubled extends Error {
  readonly trouble: Trouble
  /** False: it may have been accepted, and must not be sent again elsewhere. */
  readonly mayRepeat: boolean
  constructor(trouble: Trouble, call: HttpCall, cause: unknown) {
    super(trouble.kind, { cause })
    this.name = 'Troubled'
    this.trouble = trouble
    const refused = cause instanceof Fault && (cause.kind === 'refused' || cause.kind === 'status')
    this.mayRepeat = call.repeatable !== false || refused
  }
}

/** Runs one exchange; whatever goes wrong comes out as a Troubled. */
export async function exchange<Result>(
  line: Line,
  call: HttpCall,
  work: (call: HttpCall) => Promise<Result>,
): Promise<Result> {
  const timed = { ...call, timeouts: { ...line.timeouts, ...call.timeouts } }
  try {
    return await work(timed)
  } catch (error) {
    throw troubled(error, line, call)
  }
}

export function troubled(error: unknown, line: Line, call: HttpCall): Troubled {
  return new Troubled(troubleOf(error, line.provider, call), call, error)
}
