import type { CostBounds } from '../../ledger/commands.ts'
import {
  greater,
  lesser,
  promptCost,
  toMicro,
  tokenCost,
  type TokenUse,
} from '../../ledger/money.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import { compare, decimal, plus, times, type Decimal } from '../../lib/decimal.ts'
import type { UsualCost } from '../bill/rows.ts'
import {
  NOTHING,
  THOUGHT_TOKENS_PER_SECOND,
  type CostEstimate,
  type ReservationRules,
  type Thoughts,
} from './cost-estimate.ts'
import { PICTURE_TOKENS } from './media-tokens.ts'
import {
  boundPromptTokens,
  mostPromptTokens,
  promptTokens,
  textTokens,
  UNKNOWN_CONTEXT_TOKENS,
  type PromptSize,
} from './prompt-size.ts'

/** What a caller asks for that sizes the answer. */
export type AnswerWish = {
  maxTokens: number | undefined
  choices: number
  /** What the upstream is told to keep to; undefined: as much as the model can write. */
  hardLimit?: number | undefined
  /** It can be counted as it arrives, and cut off anywhere. */
  growing?: boolean | undefined
  /** Bytes of a predicted answer: wrong predictions are charged as output. */
  predictedBytes?: number | undefined
  /** An upper bound of its tokens. */
  boundPredicted?: (() => number) | undefined
  /** Each choice may have a picture. */
  pictures?: boolean | undefined
  audio?: boolean | undefined
}

/** A call, with the prices at its start. */
type HeldCall = {
  model: PricedModel
  prompt: PromptSize
  at: Date
  /** An upper bound of the text's tokens, closer than its bytes. */
  boundText?: (() => number) | undefined
  rules: ReservationRules
}

type CallHold = {
  /** Without an answer: for results that have no tokens. */
  estimate(answer?: AnswerWish): CostEstimate
  /** How many answer tokens of any kind a limit pays for. */
  affordable(limitMicro: bigint, bounds: CostBounds, answer: AnswerWish): number
  /** An upper bound of the prompt's tokens. */
  boundPrompt(): number
}

export function callHold(call: HeldCall): CallHold {
  return {
    estimate: (answer) => estimateOf(call, answer),
    affordable: (limitMicro, bounds, answer) =>
      tokensFor(limitMicro - bounds.committedMicro, boundPrice(call, answer), call.model),
    boundPrompt: () => closePrompt(call),
  }
}

/** Where the caller names no limit. */
export const DEFAULT_ANSWER_TOKENS = 1_024

/**
 * The prompt and what is certain to be produced must be affordable; the answer's part is capped, so
 * that a huge `max_tokens` does not block a normal account.
 */
function estimateOf(call: HeldCall, answer: AnswerWish | undefined): CostEstimate {
  if (call.model.free) return NOTHING
  const bounds = boundsOf(call, answer, 'rough')
  return {
    ...amountsOf(call, answer),
    bounds,
    usual: usualCost(call, answer, 'rough'),
    exact:
      call.boundText &&
      (() => ({
        bounds: boundsOf(call, answer, 'exact'),
        usual: usualCost(call, answer, 'exact'),
      })),
    likely: () => likelyMicro(call, answer),
    thoughts: answer && thoughtsIn(call, answer, bounds.worstCaseMicro),
  }
}

/** Of a text that nobody asked to be short; a model that thinks writes more. */
const USUAL_ANSWER_TOKENS = 300

/** As such a call would be charged, with an answer that is no longer than usual. */
function likelyMicro({ model, prompt, at }: HeldCall, answer: AnswerWish | undefined): bigint {
  const usual = model.thinks ? DEFAULT_ANSWER_TOKENS : USUAL_ANSWER_TOKENS
  const maxTokens = Math.min(answer?.maxTokens ?? usual, usual)
  const written = answer ? expectedAnswer({ ...answer, maxTokens }, model.maxOutputTokens) : 0
  const imageOutputTokens = answer?.pictures ? PICTURE_TOKENS * answer.choices : 0
  const use = {
    promptTokens: promptTokens(prompt),
    completionTokens: written + imageOutputTokens,
    audioTokens: prompt.audioTokens,
    imageOutputTokens,
    images: prompt.imageCount,
  }
  const { promptUsd, answerUsd } = tokenCost(model.prices, use, at)
  return toMicro(plus(promptUsd, answerUsd), model)
}

function amountsOf(
  call: HeldCall,
  answer: AnswerWish | undefined,
): Pick<CostEstimate, 'estimateMicro' | 'minimumMicro'> {
  const { model, prompt, rules } = call
  const sent = heldPrompt(call, mostPromptTokens(prompt, model.contextLength))
  const committedMicro = toMicro(plus(sent, answer ? ordered(call, answer) : NONE), model)
  const answerMicro = answer ? toMicro(heldAnswer(call, answer), model) : 0n
  return {
    estimateMicro: committedMicro + lesser(answerMicro, rules.capMicro),
    minimumMicro: committedMicro + rules.minMicro,
  }
}

const NONE = decimal(0)

/** Media of unknown size do not block a call: what is certain must be affordable. */
function usualCost(
  call: HeldCall,
  answer: AnswerWish | undefined,
  close: Closeness,
): UsualCost | undefined {
  const { unknown, ...known } = call.prompt
  if (unknown === undefined) return undefined
  const mediaTokens = known.mediaTokens + unknown.usualTokens
  const price = answer && boundPrice(call, answer)
  const certain = { ...call, prompt: known }
  const usual = { ...call, prompt: { ...known, mediaTokens } }
  const least = boundsOf(certain, answer, close, price)
  const { estimateMicro, minimumMicro: promptMicro } = amountsOf(usual, answer)
  return {
    estimateMicro,
    promptMicro,
    minimumMicro: amountsOf(certain, answer).minimumMicro,
    certainMicro: least.committedMicro,
    bounds: {
      ...boundsOf(usual, answer, close, price),
      minimumMicro: least.minimumMicro,
      fixed: true,
    },
    anySize: !Number.isFinite(unknown.mostTokens),
  }
}

function thoughtsIn(
  call: HeldCall,
  answer: AnswerWish,
  worstCaseMicro: bigint,
): Thoughts | undefined {
  const { model } = call
  if (!model.thinks) return undefined
  const tokens = decimal(THOUGHT_TOKENS_PER_SECOND * answer.choices)
  return { secondMicro: toMicro(times(boundPrice(call, answer), tokens), model), worstCaseMicro }
}

type Closeness = 'rough' | 'exact'

function boundsOf(
  call: HeldCall,
  answer: AnswerWish | undefined,
  close: Closeness,
  price = answer && boundPrice(call, answer),
): CostBounds {
  const { model, prompt, rules, boundText } = call
  const isExact = close === 'exact'
  const sent = isExact ? closePrompt(call) : boundPromptTokens(prompt, model.contextLength)
  const promptMicro = toMicro(heldPrompt(call, sent), model)
  const rough = !isExact && boundText !== undefined
  // The prompt's size is known only from the upstream's last word, so it must come to that.
  const fixed = answer?.growing !== true || prompt.unknown !== undefined
  if (answer === undefined) {
    const all = { committedMicro: promptMicro, minimumMicro: promptMicro }
    return { ...all, initialLimitMicro: promptMicro, worstCaseMicro: promptMicro, fixed, rough }
  }
  const costOf = (count: number) => toMicro(times(price!, decimal(count)), model)
  const predicted = isExact ? Math.ceil(answer.boundPredicted?.() ?? 0) : answer.predictedBytes
  const committedMicro = promptMicro + costOf((predicted ?? 0) * answer.choices)
  const pictures = answer.pictures ? PICTURE_TOKENS : 1
  const firstMicro = greater(rules.minMicro, costOf(pictures * answer.choices))
  const longestMicro = greater(firstMicro, costOf(longestAnswer(answer, model) * answer.choices))
  const initialLimitMicro = greater(firstMicro, lesser(longestMicro, rules.capMicro))
  return {
    committedMicro,
    minimumMicro: committedMicro + firstMicro,
    initialLimitMicro: committedMicro + initialLimitMicro,
    worstCaseMicro: committedMicro + longestMicro,
    fixed,
    rough,
  }
}

function closePrompt({ model, prompt, boundText }: HeldCall): number {
  const text = boundText && Math.ceil(boundText())
  return boundPromptTokens(prompt, model.contextLength, text)
}

function longestAnswer({ hardLimit }: AnswerWish, model: PricedModel): number {
  const most = model.maxOutputTokens || model.contextLength || UNKNOWN_CONTEXT_TOKENS
  return Math.min(hardLimit ?? most, most)
}

/** The highest price of one answer token, in dollars, for any kind and any prompt length. */
function boundPrice(call: HeldCall, answer: AnswerWish): Decimal {
  const { model, prompt } = call
  const price = answerPrice(call, answer, promptTokens(prompt))
  if (model.prices.overrides === undefined) return price
  const most = boundPromptTokens(prompt, model.contextLength)
  return dearest([price, answerPrice(call, answer, most)])
}

const MILLION = 1_000_000

function tokensFor(micro: bigint, price: Decimal, model: PricedModel): number {
  const each = toMicro(times(price, decimal(MILLION)), model)
  if (each === 0n) return Number.MAX_SAFE_INTEGER
  return Math.max(0, Number((micro * BigInt(MILLION)) / each))
}

/** At the highest price that its tokens may have. */
function heldPrompt({ model, prompt, at }: HeldCall, promptTokens: number): Decimal {
  const plain = { promptTokens, completionTokens: 0, images: prompt.imageCount }
  const costs = [promptCost(model.prices, plain, at)]
  const add = (use: TokenUse) => costs.push(promptCost(model.prices, use, at))
  if (prompt.audioTokens > 0) add({ ...plain, audioTokens: prompt.audioTokens })
  const forAnHour = prompt.cacheLife === '1h' ? promptTokens : 0
  if (prompt.cacheLife !== undefined)
    add({ ...plain, cacheWriteTokens: promptTokens, cacheWrite1hTokens: forAnHour })
  return dearest(costs)
}

/** Output that is certain: pictures, and the prediction. */
function ordered({ model, prompt, at }: HeldCall, answer: AnswerWish): Decimal {
  if (!answer.pictures && !answer.predictedBytes) return NONE
  const imageOutputTokens = answer.pictures ? PICTURE_TOKENS * answer.choices : 0
  const predicted = textTokens(answer.predictedBytes ?? 0) * answer.choices
  const use = {
    promptTokens: promptTokens(prompt),
    completionTokens: imageOutputTokens + predicted,
    imageOutputTokens,
  }
  return tokenCost(model.prices, use, at).answerUsd
}

/** Without pictures, which are counted in `ordered`. */
function heldAnswer(call: HeldCall, answer: AnswerWish): Decimal {
  const tokens = expectedAnswer(answer, call.model.maxOutputTokens)
  const text = { ...answer, pictures: false }
  return times(answerPrice(call, text, promptTokens(call.prompt)), decimal(tokens))
}

/** Computed once for each model whose prices depend on neither prompt nor hour. */
const ANSWER_PRICES = new WeakMap<PricedModel, Map<number, Decimal>>()

/** The highest price that one token may have. */
function answerPrice(call: HeldCall, answer: AnswerWish, promptTokens: number): Decimal {
  const { model } = call
  if (model.prices.overrides !== undefined) return dearestToken(call, answer, promptTokens)
  let known = ANSWER_PRICES.get(model)
  if (known === undefined) ANSWER_PRICES.set(model, (known = new Map()))
  const kinds = (answer.audio ? 1 : 0) + (answer.pictures ? 2 : 0)
  let price = known.get(kinds)
  if (price === undefined) known.set(kinds, (price = dearestToken(call, answer, promptTokens)))
  return price
}

function dearestToken({ model, at }: HeldCall, answer: AnswerWish, promptTokens: number): Decimal {
  const plain = { promptTokens, completionTokens: 1 }
  const uses: TokenUse[] = [plain, { ...plain, reasoningTokens: 1 }]
  if (answer.audio) uses.push({ ...plain, audioOutputTokens: 1 })
  if (answer.pictures) uses.push({ ...plain, imageOutputTokens: 1 })
  return dearest(uses.map((use) => tokenCost(model.prices, use, at).answerUsd))
}

function dearest(costs: Decimal[]): Decimal {
  return costs.reduce((most, cost) => (compare(cost, most) > 0 ? cost : most))
}

function expectedAnswer({ maxTokens, choices }: AnswerWish, modelMax: number | undefined): number {
  const tokens = maxTokens ?? DEFAULT_ANSWER_TOKENS
  return Math.min(tokens, modelMax ?? tokens) * choices
}
