import { Failure } from '../lib/failure.ts'
import type { Principal } from '../accounts/principal.ts'
import { credentialHint } from './credential-hint.ts'
import { nothingHere } from './dialect.ts'
import { subscriberOf, type Slot } from './limits/process-counter.ts'
import type { RequestContext } from './request-context.ts'
import type { Credential } from './route.ts'

/**
 * Identifies the caller and counts the call against its rate limit. Throws or rejects when the call
 * is refused. Returns no promise where none is needed, since every request passes here.
 */
export function admit(call: RequestContext): Promise<void> | undefined {
  const { credential, limit } = call.plan.route
  call.countFor('address', subscriberOf(call.address))
  if (limit === 'auth') return admitGuess(call)
  if (limit === 'sign_in') return admitSignIn(call)
  if (credential === 'operator') return admitOperator(call)
  if (call.plan.isOperators && isForeignHost(call)) throw nothingHere()
  if (credential !== 'none') {
    const principal = identify(call)
    return principal instanceof Promise
      ? principal.then((known) => acceptPrincipal(call, known))
      : acceptPrincipal(call, principal)
  }
  return limit === 'principal' ? takeSlot(call) : undefined
}

/** Counted before the credential is looked up, so that guessing is slow and cheap for us. */
async function admitGuess(call: RequestContext): Promise<void> {
  await takeSlot(call)
  if (call.plan.route.credential === 'none') return
  await acceptPrincipal(call, await identify(call))
}

/** For anybody who is no operator the answer is 404, whatever they send. */
async function admitOperator(call: RequestContext): Promise<void> {
  const { plan, address, requestId } = call
  const foreignHost = isForeignHost(call)
  const principal = await identifyOperator(call, foreignHost)
  await acceptPrincipal(call, principal)
  const asked = { address, requestId, route: plan.name, foreignHost }
  const operator = await call.context.operators.admit(principal, asked, plan.route.operator!)
  if (operator === undefined) throw nothingHere()
  call.principal = operator
}

/** On a host that is not the operators' own, a bad credential is 404 too. */
async function identifyOperator(call: RequestContext, foreignHost: boolean): Promise<Principal> {
  try {
    return await identify(call)
  } catch (error) {
    throw foreignHost ? nothingHere() : error
  }
}

function isForeignHost({ context, headers }: RequestContext): boolean {
  const { operatorHost } = context
  return operatorHost !== undefined && String(headers.host).toLowerCase() !== operatorHost
}

/** So many tries are allowed for each failure that is allowed. */
const TRIES_PER_FAILURE = 10

/**
 * A mobile network is one address: there the many who sign in must not lock each other out, and whoever
 * guesses is still slowed. So an address is counted by its failures; each call takes a place among
 * them and gets it back if it succeeds. A session that the call names is counted by itself, and who
 * names one cannot be kept out by those who guess passwords.
 */
async function admitSignIn(call: RequestContext): Promise<void> {
  const { limiter, settings } = call.context
  const perMinute = settings.AUTH_RATE_LIMIT_RPM
  const network = subscriberOf(call.address)
  const named = call.plan.route.limitedBy?.(call.headers)
  const failures = named === undefined ? `failed:${network}` : `failed-session:${network}`
  const failuresPerMinute = named === undefined ? perMinute : perMinute * TRIES_PER_FAILURE
  const tries =
    named === undefined
      ? await limiter.take(`sign-in:${network}`, perMinute * TRIES_PER_FAILURE)
      : await limiter.take(`session:${named}`, perMinute)
  occupy(call, tries)
  occupy(call, await limiter.take(failures, failuresPerMinute))
  const giveBack = () => limiter.giveBack(failures)
  call.giveBackSlot = giveBack
}

function identify(call: RequestContext): Principal | Promise<Principal> {
  // Node keeps the first of several; a proxy in front of us may have read another one.
  if (call.occurrences('authorization') > 1) {
    throw new Failure('unauthorized', 'Send one Authorization header: `Bearer <credential>`.')
  }
  const { authorization, 'x-api-key': apiKey } = call.headers
  if (apiKey !== undefined && call.occurrences('x-api-key') > 1) {
    throw new Failure('unauthorized', 'Send one X-Api-Key header.')
  }
  try {
    const { authenticator } = call.context
    const known = authenticator.identify(authorization as string | undefined, apiKey as string)
    return known instanceof Promise ? known.catch((error) => countMadeUp(call, error)) : known
  } catch (error) {
    return countMadeUp(call, error)
  }
}

/**
 * Made-up credentials are counted by network. Beyond the limit they get another answer, and nothing
 * else does: whoever sends a good one from the same network is not refused for it.
 */
async function countMadeUp(call: RequestContext, error: unknown): Promise<never> {
  const { context, address } = call
  if (!(error instanceof Failure) || error.kind !== 'unauthorized') throw error
  if (!error.madeUp) throw explained(call, error)
  const perMinute = context.settings.AUTH_RATE_LIMIT_RPM * TRIES_PER_FAILURE
  const slot = await context.limiter.take(`made-up:${subscriberOf(address)}`, perMinute)
  if (slot.allowed) throw explained(call, error)
  throw new Failure(
    'rate_limited',
    'This credential is not valid, and too many such have come from your network. Please check it and wait.',
    { retryAfterS: slot.retryAfterS },
  )
}

/** Where a key may be sent, people are told why theirs was not found. */
function explained({ plan, request }: RequestContext, failure: Failure): Failure {
  const { credential } = plan.route
  if (credential !== 'key' && credential !== 'either') return failure
  const { kind, message, code, madeUp, cause } = failure
  if (code === 'token_expired') return failure
  return new Failure(kind, `${message} ${credentialHint(request)}`, { code, madeUp, cause })
}

function acceptPrincipal(call: RequestContext, principal: Principal): Promise<void> | undefined {
  call.principal = principal
  checkKind(call.plan.route.credential, principal)
  call.countFor('account', principal.accountId)
  return call.plan.route.limit === 'principal' ? takeSlot(call) : undefined
}

function checkKind(credential: Credential, principal: Principal): void {
  if (credential === 'jwt' && principal.kind !== 'jwt') {
    throw new Failure('forbidden', 'This route needs an access token; an API key cannot use it.')
  }
  if (credential === 'key' && principal.kind !== 'key') {
    throw new Failure('forbidden', 'This route needs an API key; an access token cannot use it.')
  }
}

function takeSlot(call: RequestContext): Promise<void> | undefined {
  const [bucket, perMinute] = bucketOf(call)
  const taken = call.context.limiter.take(bucket, perMinute)
  if (taken instanceof Promise) return taken.then((slot) => occupy(call, slot))
  occupy(call, taken)
  return undefined
}

function occupy(call: RequestContext, slot: Slot): void {
  call.slot = slot
  if (slot.allowed) return
  throw new Failure(
    'rate_limited',
    `More than ${slot.limit} requests in a minute. Please wait, then try again.`,
    {
      retryAfterS: slot.retryAfterS,
    },
  )
}

function bucketOf(call: RequestContext): [bucket: string, perMinute: number] {
  const { principal, plan } = call
  const { settings } = call.context
  const { perMinute } = plan.route
  if (perMinute !== undefined) {
    const who = principal?.accountId ?? subscriberOf(call.address)
    return [`route:${plan.name}:${who}`, perMinute]
  }
  if (principal?.kind === 'key') return [`key:${principal.keyId}`, settings.RATE_LIMIT_RPM]
  if (principal?.kind === 'jwt') {
    // What pages and lists ask for does not use up what models may be asked for.
    return plan.route.dialect === 'envelope'
      ? [`account:${principal.accountId}`, settings.RATE_LIMIT_ACCOUNT_RPM]
      : [`calls:${principal.accountId}`, settings.RATE_LIMIT_JWT_RPM]
  }
  const network = subscriberOf(call.address)
  return plan.route.limit === 'auth'
    ? [`auth:${network}`, settings.AUTH_RATE_LIMIT_RPM]
    : [`address:${network}`, settings.RATE_LIMIT_ACCOUNT_RPM]
}
