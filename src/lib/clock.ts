/** Time comes in as an argument, so that tests can move it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** Something that happens with no request. It is never run twice at once in one process. */
export type Duty = { name: string; everyMs: number; run(signal: AbortSignal): Promise<void> }
