import type { PricedModel } from '../../../src/catalog/catalog.ts'
import {
  EMPTY_PROMPT,
  promptTokens,
  type PromptSize,
} from '../../../src/gateway/price/prompt-size.ts'
import { decimal } from '../../../src/lib/decimal.ts'
import type { Pricing } from '../../../src/catalog/model-record.ts'

/**
 * A model to work out prices by hand with. One dollar is 3,000 credits, and the margin is 1.5: so
 * one millionth of a dollar is 4,500 microcredits.
 */
export function pricedModel(facts: Partial<PricedModel> = {}): PricedModel {
  const [creditsPerUsd, margin] = [decimal('3000'), decimal('1.5')]
  const { prices = {}, free = false } = facts
  const priced = free ? 'free' : 'paid'
  const price = { id: 'snapshot', pricing: prices, basis: 'token', priced, margin, creditsPerUsd }
  return {
    id: 'test/model',
    resourceId: 'mdl_test',
    name: 'Test',
    inputModalities: ['text'],
    outputModalities: ['text'],
    supportedParameters: [],
    supportedVoices: [],
    enabled: true,
    offers: [],
    targets: [],
    priceSnapshotId: 'snapshot',
    prices,
    free,
    thinks: false,
    margin,
    creditsPerUsd,
    ...facts,
    priced,
    price: price as PricedModel['price'],
  }
}

/** 4,500 microcredits a token of the prompt, 9,000 a token of the answer. */
export const TOKEN_PRICES = { prompt: '0.000001', completion: '0.000002' }

/** At most ten credits for an answer, at least a hundredth of one. */
export const RULES = { capMicro: 10_000_000n, minMicro: 10_000n }

/** A call of 100 tokens, unless it says something else. */
export type PricedCall = {
  prices?: Pricing
  free?: boolean
  modelMax?: number
  promptTokens?: number
  images?: number
  prompt?: Partial<PromptSize>
  contextLength?: number
}

export function measuredCall(call: PricedCall = {}) {
  const { prices = TOKEN_PRICES, free = false, images = 0 } = call
  return {
    model: pricedModel({
      prices,
      free,
      maxOutputTokens: call.modelMax,
      contextLength: call.contextLength,
    }),
    prompt: {
      ...EMPTY_PROMPT,
      mediaTokens: (call.promptTokens ?? 100) - promptTokens(EMPTY_PROMPT),
      imageCount: images,
      ...call.prompt,
    },
    at: new Date(0),
  }
}
