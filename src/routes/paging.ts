import { z } from 'zod'

const whole = (low: number, high: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(low).max(high))

export const MAX_LIMIT = 200
/** Far beyond what people page through, near enough to answer at once. */
export const MAX_OFFSET = 1_000_000

/** `limit` and `offset` of every list: spread it into a query schema. */
export const pageQuery = {
  limit: whole(1, MAX_LIMIT).default(50),
  offset: whole(0, MAX_OFFSET).default(0),
}

/** What stands beside `data` in every list. */
export function pagination(
  asked: { limit: number; offset: number },
  found: { total: number; hasMore: boolean },
) {
  const { limit, offset } = asked
  return { pagination: { limit, offset, total: found.total, has_more: found.hasMore } }
}
