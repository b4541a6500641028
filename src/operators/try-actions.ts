import type { Db } from '../db/db.ts'
import { decimalText } from '../lib/decimal.ts'
import { Failure } from '../lib/failure.ts'
import { withAuditLog } from './audit-log.ts'
import { countToday } from './audit-log-store.ts'
import type { Actor } from './actor.ts'

/** Nobody pays for them: this many within 24 hours, for each operator. */
const MOST_TRIES_A_DAY = 50

export type TryWish = {
  model: string
  upstream: string | undefined
  prompt: string
  reason: string | undefined
  signal?: AbortSignal | undefined
}

type Tried = {
  upstream: string
  latencyMs: number
  promptTokens: number | undefined
  completionTokens: number | undefined
  costMicroUsd: bigint
  costBasis: string
}

/**
 * Asks a model something at our own cost. Two audit events: one before, which counts against the
 * limit, since the request cannot be part of a transaction, and one after with the result and cost.
 * Neither the question nor the answer is logged.
 */
export async function tryWithLog<Result extends Tried>(
  { db, ask }: { db: Db; ask(wish: TryWish): Promise<Result> },
  actor: Actor,
  wish: TryWish,
): Promise<Result> {
  const target = { type: 'model', id: wish.model }
  await withAuditLog(db, actor, async (tx, record) => {
    const { operatorId } = actor
    if (operatorId && (await countToday(tx, operatorId, 'model.try')) >= MOST_TRIES_A_DAY) {
      throw new Failure('rate_limited', `You may try models ${MOST_TRIES_A_DAY} times a day.`, {
        retryAfterS: 3_600,
      })
    }
    const after = { upstream: wish.upstream ?? null, prompt_characters: wish.prompt.length }
    await record({ action: 'model.try', target, reason: wish.reason, after })
  })
  const note = (after: object) =>
    withAuditLog(db, actor, (_tx, record) => record({ action: 'model.tried', target, after }))
  try {
    const result = await ask(wish)
    await note(outcomeOf(result))
    return result
  } catch (error) {
    const failed = error instanceof Failure ? (error.code ?? error.kind) : 'internal_error'
    await note({ failed })
    throw error
  }
}

export function usdText(microUsd: bigint): string {
  return decimalText({ units: microUsd, scale: 6 })
}

function outcomeOf(tried: Tried): object {
  return {
    upstream: tried.upstream,
    latency_ms: tried.latencyMs,
    prompt_tokens: tried.promptTokens ?? null,
    completion_tokens: tried.completionTokens ?? null,
    cost_usd: usdText(tried.costMicroUsd),
    cost_basis: tried.costBasis,
  }
}
