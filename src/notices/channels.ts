import { DEFAULT_PREFERENCES } from './preference-shape.ts'
import type { Preferences } from './preference-shape.ts'
import type { Channel } from './sender.ts'
import type { Category } from './types.ts'

export type Address = { channel: Channel; to: string }

/**
 * Where a notice goes: the verified addresses whose channel is on for its category. A security
 * notice that would reach nobody, because the chosen channel has no verified address, goes to the
 * other one: whoever steals an account must not be able to do so in silence.
 */
export function addressesFor(
  category: Category,
  to: { email: string | null; phone: string | null; preferences: Preferences | undefined },
): Address[] {
  const preferences = to.preferences ?? DEFAULT_PREFERENCES
  const all: Address[] = []
  if (to.email !== null) all.push({ channel: 'email', to: to.email })
  if (to.phone !== null) all.push({ channel: 'sms', to: to.phone })
  const chosen = all.filter(({ channel }) => preferences[channel][category])
  return chosen.length === 0 && category === 'security' ? all : chosen
}
