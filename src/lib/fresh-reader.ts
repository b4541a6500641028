/** One at a time; a call while one runs gets the next run, which sees every change so far. */
export function freshReader(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    const mine = work().finally(() => {
      running = undefined
    })
    running = mine
    return mine
  }
  return () => {
    if (running === undefined) return run()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return run()
      })
    return next
  }
}
