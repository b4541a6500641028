/** Tanzania is three hours ahead of UTC all year. */
const ZONE_OFFSET = '+03:00'

export type Month = { id: string; from: string; to: string }

/** From this month back to the one in which the account was created, at most two years. */
export function monthsSince(createdAt: string, now = new Date()): Month[] {
  const first = monthId(new Date(createdAt))
  const months: Month[] = []
  let id = monthId(now)
  while (months.length < 24) {
    months.push(monthOf(id))
    if (id <= first) break
    id = monthId(new Date(Date.parse(startOf(id)) - 86_400_000))
  }
  return months
}

export function monthOf(id: string): Month {
  const [year, month] = id.split('-').map(Number) as [number, number]
  const next = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`
  return { id, from: startOf(id), to: startOf(next) }
}

const startOf = (id: string) => `${id}-01T00:00:00${ZONE_OFFSET}`

function monthId(at: Date): string {
  return new Date(at.getTime() + 3 * 3_600_000).toISOString().slice(0, 7)
}
