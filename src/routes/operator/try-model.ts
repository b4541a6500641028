import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { tryWithLog, usdText } from '../../operators/try-actions.ts'
import type { Db } from '../../db/db.ts'
import type { ModelTrial, TrialResult } from '../../gateway/chat/try-model.ts'
import { route, type Route } from '../../http/route.ts'
import { reading, reasonField } from './shared.ts'

export type AskModel = (trial: ModelTrial) => Promise<TrialResult>

const TRIES_PER_MINUTE = 6
const MOST_CHARACTERS = 1_000

const trialShape = z.object({
  model: z.string(),
  upstream: z.string(),
  text: z.string(),
  finish_reason: z.string().optional(),
  latency_ms: z.int(),
  usage: z.object({
    prompt_tokens: z.int().optional(),
    completion_tokens: z.int().optional(),
  }),
  cost: z.object({ usd: z.string(), basis: z.enum(['reported', 'list', 'estimated']) }),
})

/** No customer pays for it, so it is small and limited: it must not be a way to free work. */
export function tryModelRoute({ db, askModel }: { db: Db; askModel: AskModel }): Route {
  return route({
    ...reading('support'),
    perMinute: TRIES_PER_MINUTE,
    method: 'POST',
    path: '/v1/operator/models/:id/try',
    summary:
      'Ask a model one short question at our own cost, also one that is switched off. The id of ' +
      'the model is percent-encoded, or its resource id',
    params: z.object({ id: z.string() }),
    body: z.object({
      prompt: z
        .string()
        .trim()
        .min(1, 'must not be empty')
        .max(MOST_CHARACTERS, `must be at most ${MOST_CHARACTERS} characters`),
      upstream: z.string().max(100).optional(),
      reason: reasonField.optional(),
    }),
    response: trialShape,
    refuses: ['unsuitable', 'upstream_failed'],
    async handle(call) {
      const { prompt, upstream, reason } = call.body
      const model = call.params.id
      const wish = { model, upstream, prompt, reason, signal: call.signal }
      const tried = await tryWithLog({ db, ask: askModel }, operatorActor(call), wish)
      return { data: showTrial(model, tried) }
    },
  })
}

function showTrial(model: string, tried: TrialResult): z.infer<typeof trialShape> {
  return {
    model,
    upstream: tried.upstream,
    text: tried.text,
    finish_reason: tried.finishReason ?? undefined,
    latency_ms: tried.latencyMs,
    usage: { prompt_tokens: tried.promptTokens, completion_tokens: tried.completionTokens },
    cost: { usd: usdText(tried.costMicroUsd), basis: tried.costBasis },
  }
}
