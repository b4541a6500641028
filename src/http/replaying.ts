import type { Answer, KeptAnswer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import type { Hallway, Plan } from './plan.ts'
import { occurrences } from './raw-headers.ts'
import type { Walk } from './walk.ts'

const PRINTABLE = /^[\x20-\x7e]{1,255}$/

/** The idempotency key this request asks to be remembered by, if the route remembers at all. */
export function replayKey(plan: Plan, walk: Walk, rawHeaders: string[]): string | undefined {
  const { replay } = plan.route
  if (replay === undefined || replay === false || walk.principal === undefined) return undefined
  const key = walk.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof replay === 'function' && !replay(walk.body)) return undefined
  const sound = typeof key === 'string' && PRINTABLE.test(key)
  if (sound && occurrences(rawHeaders, 'idempotency-key') === 1) return key
  throw new Failure(
    'invalid',
    'The Idempotency-Key header must be sent once, with 1 to 255 printable ASCII characters.',
    { param: 'Idempotency-Key' },
  )
}

/** The kept answer, when this request was answered before; else the claim is on the walk. */
export async function claimKey(
  hallway: Hallway,
  walk: Walk,
  key: string,
): Promise<KeptAnswer | undefined> {
  const outcome = await hallway.replay.claim({
    accountId: walk.principal!.accountId,
    key,
    route: walk.plan.name,
  })
  if (outcome.state === 'kept') {
    const headers = { ...outcome.answer.headers, 'idempotency-replayed': 'true' }
    return { ...outcome.answer, headers }
  }
  if (outcome.state !== 'claimed') throw conflict(outcome.state)
  walk.claim = outcome.claim
  return undefined
}

/** SDKs retry a 409 by themselves: while the first call runs that is right, else it is in vain. */
function conflict(state: 'running' | 'other_route'): Failure {
  const running = state === 'running'
  return new Failure(
    'idempotency_conflict',
    running
      ? 'A request with this Idempotency-Key is still running.'
      : 'This Idempotency-Key was used for a different request.',
    {
      param: 'Idempotency-Key',
      ...(running ? { retryAfterS: 2 } : { headers: { 'x-should-retry': 'false' } }),
    },
  )
}

/** Keeps a good answer before it is sent; anything else frees the key for the caller's retry. */
export async function concludeClaim(
  hallway: Hallway,
  walk: Walk,
  answer: (Answer & { kept?: true }) | undefined,
): Promise<void> {
  const claim = walk.claim
  if (claim === undefined || answer?.kept === true) return
  try {
    if (answer !== undefined && isKeepable(answer)) {
      const headers = { 'x-request-id': walk.requestId, ...answer.headers }
      await hallway.replay.keep(claim, { ...answer, headers })
    } else await hallway.replay.free(claim)
  } catch (error) {
    // The work is done and its answer good: it is told even if it cannot be told twice.
    hallway.log.error('an idempotency claim could not be concluded', {
      request_id: walk.requestId,
      route: walk.plan.name,
      error,
    })
  }
}

function isKeepable(answer: Answer): answer is KeptAnswer {
  const whole = typeof answer.body === 'string' || Buffer.isBuffer(answer.body)
  return answer.status >= 200 && answer.status < 300 && whole
}
