/** Something that happens with no request. It is never run twice at once in one process. */
export type Duty = { name: string; everyMs: number; run(signal: AbortSignal): Promise<void> }
