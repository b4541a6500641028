import { z } from 'zod'
import { masked } from '../../accounts/identifiers.ts'
import type { Claim } from '../../lib/answer.ts'
import type { OperatorPrincipal, OperatorRole } from '../../accounts/principal.ts'
import { isDay } from '../../lib/days.ts'
import { line, wholeField } from '../fields.ts'

const shared = {
  tag: 'Operators',
  credential: 'operator',
  dialect: 'envelope',
  limit: 'principal',
} as const

/** What only reads: for a session that has passed the second factor. */
export function reading(role: OperatorRole) {
  return { ...shared, operator: { role, proof: 'second_factor' } } as const
}

/** What changes something: with a second factor of the last ten minutes. */
export function acting(role: OperatorRole) {
  return { ...shared, operator: { role, proof: 'fresh' }, replay: true } as const
}

/** Why, for the log. */
export const reasonField = line(3, 500)

/** Of the operators' lists, which are paged by `before` alone. */
export const countField = wholeField(1, 200).default(50)

export const dayField = z
  .string()
  .max(10)
  .refine((text) => /^2[01]/.test(text) && isDay(text), 'must be a day such as 2026-01-31')

export const idParams = z.object({ id: z.guid().toLowerCase() })

/** A viewer may see that there is an address, not which. */
export function addressFor(
  { operator }: OperatorPrincipal,
  channel: 'email' | 'phone',
  value: string | null,
): string | undefined {
  if (value === null) return undefined
  return operator.role === 'viewer' ? masked({ channel, value }) : value
}

/** What identifies an action: the same key does nothing twice, even if the stored answer was lost. */
export function keyOf(call: {
  principal: OperatorPrincipal
  claim: Claim | undefined
  requestId: string
}): string {
  return call.claim ? `${call.principal.accountId}:${call.claim.key}` : call.requestId
}

/** In the answer of whatever a second owner may have to confirm. */
export const waitingField = z
  .uuid()
  .optional()
  .meta({ description: 'It waits for a second owner, as this request; nothing has changed yet' })
