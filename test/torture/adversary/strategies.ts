import { EXPANDING } from './expanding.ts'
import { FREE_WORK } from './free-work.ts'
import { GETTING_IN } from './getting-in.ts'
import { LEFT_STREAMS } from './left-streams.ts'
import { MEDIA_AND_KEYS } from './media.ts'
import { METERS } from './meters.ts'
import { SIZES } from './sizes.ts'
import { STOPPING } from './stopping.ts'
import { playing, type Strategy } from './thief.ts'
import { UNBOUNDED, UNUSABLE } from './unusable.ts'

const SINGLE: readonly Strategy[] = [
  ...FREE_WORK,
  ...LEFT_STREAMS,
  ...MEDIA_AND_KEYS,
  ...GETTING_IN,
  ...STOPPING,
  ...EXPANDING,
  ...METERS,
  ...SIZES,
  ...UNUSABLE,
]

/** Several at the same time, by one account. */
const mixture: Strategy = {
  name: 'mixture',
  weight: 8,
  async play(thief) {
    const { random } = thief
    const chosen = Array.from({ length: random.between(2, 4) }, () => random.weighted(SINGLE))
    const effects = await Promise.all(chosen.map((one) => playing(thief, one)))
    return effects.some(Boolean)
  },
}

const BOUNDED: readonly Strategy[] = [...SINGLE, mixture]

/** Those whose names fit. What is documented as not bounded is played only where a name is given. */
export function strategiesNamed(pattern: string | undefined): readonly Strategy[] {
  if (pattern === undefined) return BOUNDED
  const wanted = new RegExp(pattern)
  return [...BOUNDED, ...UNBOUNDED].filter(({ name }) => wanted.test(name))
}
