import type { Catalog } from '../../catalog/catalog.ts'
import type { CatalogModel, Offer } from '../../catalog/catalog-index.ts'
import { decimal } from '../../lib/decimal.ts'
import { Failure, invalidField } from '../../lib/failure.ts'
import { prefixedId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { ChatResult } from '../../upstream/contract/contract.ts'
import type { Upstreams } from '../../upstream/work.ts'
import type { Gateway } from '../gateway.ts'
import { callCharge } from '../price/call-charge.ts'
import { EMPTY_PROMPT } from '../price/prompt-size.ts'
import { reportedCost } from '../price/reported-cost.ts'

const MOST_TOKENS = 256

export type ModelTrial = {
  model: string
  /** Undefined: the upstream that a customer's call would go to first. */
  upstream: string | undefined
  prompt: string
  signal?: AbortSignal | undefined
}

export type TrialResult = {
  text: string
  finishReason: string | null
  upstream: string
  latencyMs: number
  promptTokens: number | undefined
  completionTokens: number | undefined
  /** Our cost in millionths of a US dollar, and where the number is from. */
  costMicroUsd: bigint
  costBasis: 'reported' | 'list' | 'estimated'
}

/**
 * One short question to a model for an operator, also to a model that is switched off. Nothing is
 * held or charged, so text, answer and number of attempts are kept small.
 */
export async function tryModel(
  gateway: Pick<Gateway, 'billing' | 'catalog' | 'upstreams'>,
  trial: ModelTrial,
): Promise<TrialResult> {
  const { upstreams, billing } = gateway
  const model = chatModel(gateway.catalog, trial.model)
  const offer = offerOf(upstreams, model, trial.upstream)
  const at = billing.clock.now()
  const messages = [{ role: 'user', content: trial.prompt }]
  const body = { model: model.id, messages, max_tokens: MOST_TOKENS }
  const created = Math.floor(at.getTime() / 1_000)
  const ours = { id: prefixedId('chatcmpl-'), model: model.id, created }
  const request = { body, stream: false, mostTokens: MOST_TOKENS, ours }
  const beganMs = performance.now()
  const result = await upstreams.ask(offer, 'chat', request, trial.signal)
  const latencyMs = Math.round(performance.now() - beganMs)
  const { text, finishReason } = result
  const textBytes = Buffer.byteLength(JSON.stringify(body))
  const cost = costOf(billing.log, { model, offer, textBytes, at, result })
  return { text, finishReason, upstream: offer.upstream, latencyMs, ...cost }
}

/** Pictures and speech could cost much more than a short text. */
function chatModel(catalog: Catalog, id: string): CatalogModel {
  const model = catalog.find(id)
  if (model === undefined) throw new Failure('not_found', 'There is no such model.')
  if (model.outputModalities.join() !== 'text' || !model.inputModalities.includes('text')) {
    throw new Failure('unsuitable', 'Only models that answer in text alone can be tried here.')
  }
  return model
}

function offerOf(upstreams: Upstreams, model: CatalogModel, name: string | undefined): Offer {
  if (name === undefined) return upstreams.order(model.offers, 'chat')[0]!
  const offer = model.offers.find(({ upstream }) => upstream === name)
  if (offer === undefined) throw invalidField('upstream', 'must be one that offers this model')
  return offer
}

/** Cost in dollars: no margin, one credit for each dollar. */
const AT_COST = { margin: decimal(1), creditsPerUsd: decimal(1) }

function costOf(
  log: Log,
  call: { model: CatalogModel; offer: Offer; textBytes: number; at: Date; result: ChatResult },
): Pick<TrialResult, 'promptTokens' | 'completionTokens' | 'costMicroUsd' | 'costBasis'> {
  const { model, offer, textBytes, at, result } = call
  const atCost = { id: model.id, prices: offer.price.pricing, ...AT_COST }
  const prompt = { ...EMPTY_PROMPT, textBytes }
  const listed = callCharge({ model: atCost, prompt, at, log })
  const { costMicro: catalogMicro, estimated, ...tokens } = listed(result.usage, result)
  const said = reportedCost({ reading: result.usage, rate: AT_COST, catalogMicro })
  return {
    promptTokens: tokens.promptTokens,
    completionTokens: tokens.completionTokens,
    costMicroUsd: said.costMicro,
    costBasis: said.estimated ? (estimated ? 'estimated' : 'list') : 'reported',
  }
}
