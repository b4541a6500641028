/**
 * How many times longer a thread works on eight times as much: 8 when it takes time in proportion,
 * 64 with the square. Its own time, of which other processes take none; the best of three.
 */
export function growth(work: (size: number) => unknown, size: number): number {
  const cost = (of: number) => Math.min(...Array.from({ length: 3 }, () => threadMs(work, of)))
  // What is over within a few milliseconds tells nothing.
  return cost(size * 8) / Math.max(5, cost(size))
}

function threadMs(work: (size: number) => unknown, size: number): number {
  const began = process.threadCpuUsage()
  work(size)
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1_000
}

/** Far from both. */
export const IN_PROPORTION = 24
