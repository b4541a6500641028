/** Time comes in as an argument, so that tests can move it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** Something that happens with no request. It is never run twice at once in one process. */
export type BackgroundJob = {
  name: string
  everyMs: number
  run(signal: AbortSignal): Promise<void>
}

/** What the work comes to or, if it takes longer than that, what `late` gives. */
export async function within<Done, Late>(
  ms: number,
  work: Promise<Done>,
  late: () => Late,
): Promise<Done | Late> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<void>((done) => {
    timer = setTimeout(done, ms)
  })
  try {
    return await Promise.race([work, tooLong.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
