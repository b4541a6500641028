const LONGEST_S = 3600

/** Seconds or a date, brought into 1 to 3600. What makes no sense is not there. */
export function retryAfterSeconds(value: unknown, nowMs: number): number | undefined {
  if (typeof value === 'number') return within(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,20}(\.\d{1,9})?s?$/.test(text)) return within(Number.parseFloat(text))
  if (!/[A-Za-z]/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : within(Math.max(1, (at - nowMs) / 1000))
}

function within(seconds: number): number | undefined {
  if (!Number.isFinite(seconds) || seconds < 0) return undefined
  return Math.min(LONGEST_S, Math.max(1, Math.ceil(seconds)))
}
