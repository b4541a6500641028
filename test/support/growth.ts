/** Far from both. */
export const IN_PROPORTION = 24

const MOST_TRIES = 8

/**
 * How many times longer a thread works on eight times as much: 8 when it takes time in proportion,
 * 64 with the square. Its own time, and the best of some tries: others take memory and caches from
 * it, which makes a try slower and never faster.
 */
export function growth(work: (size: number) => unknown, size: number): number {
  let small = Infinity
  let large = Infinity
  // What is over within a few milliseconds tells nothing.
  const ratio = () => large / Math.max(5, small)
  for (let tries = 0; tries < MOST_TRIES && !(ratio() < IN_PROPORTION); tries++) {
    small = Math.min(small, threadMs(work, size))
    large = Math.min(large, threadMs(work, size * 8))
  }
  return ratio()
}

function threadMs(work: (size: number) => unknown, size: number): number {
  const began = process.threadCpuUsage()
  work(size)
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1_000
}
