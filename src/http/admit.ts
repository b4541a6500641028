import { Failure } from '../lib/failure.ts'
import type { Principal } from '../lib/principal.ts'
import type { Hallway } from './plan.ts'
import type { Slot } from './ports.ts'
import type { Credential } from './route.ts'
import { occurrences } from './raw-headers.ts'
import type { Walk } from './walk.ts'

/**
 * Who is it, and may they call again already? Throws or rejects when not. Without a promise of its
 * own wherever the answer is at hand: this is on every request's way.
 */
export function admit(
  hallway: Hallway,
  walk: Walk,
  rawHeaders: string[],
): Promise<void> | undefined {
  const { credential, limit } = walk.plan.route
  if (limit === 'auth') return admitGuess(hallway, walk, rawHeaders)
  if (credential !== 'none') {
    const principal = identify(hallway, walk, rawHeaders)
    return principal instanceof Promise
      ? principal.then((known) => welcome(hallway, walk, known))
      : welcome(hallway, walk, principal)
  }
  return limit === 'principal' ? takeSlot(hallway, walk) : undefined
}

/** Guessing is slowed before anything is looked up for the guess. */
async function admitGuess(hallway: Hallway, walk: Walk, rawHeaders: string[]): Promise<void> {
  await takeSlot(hallway, walk)
  if (walk.plan.route.credential === 'none') return
  await welcome(hallway, walk, await identify(hallway, walk, rawHeaders))
}

function identify(
  hallway: Hallway,
  walk: Walk,
  rawHeaders: string[],
): Principal | Promise<Principal> {
  // Node keeps the first of several; whoever stands before us may have read another one.
  if (occurrences(rawHeaders, 'authorization') > 1) {
    throw new Failure('unauthorized', 'Send one Authorization header: `Bearer <credential>`.')
  }
  return hallway.doorkeeper.identify(walk.headers.authorization as string | undefined)
}

function welcome(hallway: Hallway, walk: Walk, principal: Principal): Promise<void> | undefined {
  walk.principal = principal
  judgeKind(walk.plan.route.credential, principal)
  return walk.plan.route.limit === 'principal' ? takeSlot(hallway, walk) : undefined
}

function judgeKind(credential: Credential, principal: Principal): void {
  if (credential === 'jwt' && principal.kind !== 'jwt') {
    throw new Failure('forbidden', 'This route needs an access token; an API key cannot use it.')
  }
  if (credential === 'key' && principal.kind !== 'key') {
    throw new Failure('forbidden', 'This route needs an API key; an access token cannot use it.')
  }
}

function takeSlot(hallway: Hallway, walk: Walk): Promise<void> | undefined {
  const [bucket, perMinute] = bucketOf(hallway, walk)
  const taken = hallway.limiter.take(bucket, perMinute)
  if (taken instanceof Promise) return taken.then((slot) => occupy(walk, slot))
  occupy(walk, taken)
  return undefined
}

function occupy(walk: Walk, slot: Slot): void {
  walk.slot = slot
  if (slot.allowed) return
  throw new Failure(
    'rate_limited',
    `More than ${slot.limit} requests in a minute. Wait a little.`,
    {
      retryAfterS: slot.retryAfterS,
    },
  )
}

function bucketOf(hallway: Hallway, walk: Walk): [bucket: string, perMinute: number] {
  const { settings } = hallway
  const principal = walk.principal
  if (principal?.kind === 'key') return [`key:${principal.keyId}`, settings.RATE_LIMIT_RPM]
  if (principal?.kind === 'jwt') {
    return [`account:${principal.accountId}`, settings.RATE_LIMIT_JWT_RPM]
  }
  const network = networkOf(walk.address)
  return walk.plan.route.limit === 'auth'
    ? [`auth:${network}`, settings.AUTH_RATE_LIMIT_RPM]
    : [`address:${network}`, settings.RATE_LIMIT_JWT_RPM]
}

/** One subscriber holds a whole IPv6 /64: count it as one address. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  if (tail === undefined) return left.slice(0, 4).join(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
