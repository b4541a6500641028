/* Days as people of a place count them. The offset is asked of the runtime; nothing is stored. */

/** By name only: an offset such as +03:00 means its opposite to some programs. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z]/i.test(name)) return false
  try {
    return offsetFormat(name).resolvedOptions().timeZone !== ''
  } catch {
    // The constructor throws RangeError for a zone it does not know: that is the question.
    return false
  }
}

/** `2026-02-30` has the form but is no day. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** The day that it is at an instant, as `2026-11-15`. */
export function dayAt(instant: Date, zone: string): string {
  return localTime(instant, zone).slice(0, 10)
}

/** Local time with its offset: `2026-11-15T00:10:00.000+03:00`. */
export function localTime(instant: Date, zone: string): string {
  const offsetMs = offsetAt(instant.getTime(), zone)
  const minutes = Math.abs(offsetMs) / 60_000
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const local = new Date(instant.getTime() + offsetMs).toISOString().slice(0, -1)
  return `${local}${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** The first instant of a day. Where clocks are put forward at midnight, that is one o'clock. */
export function startOfDay(day: string, zone: string): Date {
  const asUtc = Date.parse(`${day}T00:00:00Z`)
  const starts = [asUtc - DAY_MS, asUtc + DAY_MS]
    .map((nearby) => new Date(asUtc - offsetAt(nearby, zone)))
    .filter((start) => dayAt(start, zone) === day)
  return starts.reduce((first, start) => (start < first ? start : first), starts[0]!)
}

const DAY_MS = 86_400_000

/** Offsets change at whole quarters of an hour; each is asked for once. */
const QUARTER_MS = 900_000
const MOST_KNOWN = 20_000
const known = new Map<string, number>()

function offsetAt(ms: number, zone: string): number {
  const quarter = Math.floor(ms / QUARTER_MS)
  const key = `${zone} ${quarter}`
  const seen = known.get(key)
  if (seen !== undefined) return seen
  if (known.size >= MOST_KNOWN) known.clear()
  const offsetMs = askOffset(new Date(quarter * QUARTER_MS), zone)
  known.set(key, offsetMs)
  return offsetMs
}

/** Written by the runtime as `GMT`, `GMT+03:00` or, long ago, `GMT+02:27:16`. */
function askOffset(instant: Date, zone: string): number {
  const parts = offsetFormat(zone).formatToParts(instant)
  const name = parts.find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours, minutes, seconds = '0'] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  if (sign === undefined) return 0
  const offsetS = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -offsetS : offsetS) * 1_000
}

const MOST_FORMATS = 1_000
const formats = new Map<string, Intl.DateTimeFormat>()

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  const seen = formats.get(timeZone)
  if (seen !== undefined) return seen
  const made = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  if (formats.size >= MOST_FORMATS) formats.clear()
  formats.set(timeZone, made)
  return made
}
