/** Enough tries to outlast a peer that is away for most of a day. */
export const MOST_TRIES = 24

const FIRST_DELAY_MS = 5_000
const LONGEST_DELAY_MS = 3_600_000

/** Doubles from 5 s to an hour, spread by ±25 % so that a peer that is back is not stormed. */
export function retryDelayMs(attempt: number, random: number): number {
  const plain = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS)
  return Math.round(plain * (0.75 + random * 0.5))
}
