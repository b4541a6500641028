import { lesser, toMicro, tokenCost, type TokenUse } from '../../billing/money.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import { compare, decimal, plus, type Decimal } from '../../lib/decimal.ts'
import type { Log } from '../../lib/log.ts'
import type { Usage, UsageReading } from '../../upstream/contract/usage.ts'
import type { StageUsage } from '../bill/rows.ts'
import { NOTHING, type Amounts, type ReservationRules } from './amounts.ts'
import { mostPromptTokens, promptTokens, textTokens, type PromptSize } from './prompt-size.ts'
import { logUnusable } from './reported-cost.ts'

/** What a caller asks for that sizes the answer. */
export type AnswerWish = {
  maxTokens: number | undefined
  choices: number
  /** Bytes of a predicted answer: what turns out wrong is charged as if the model had said it. */
  predictedBytes?: number | undefined
  /** Each choice is to have a picture. */
  pictures?: boolean | undefined
  audio?: boolean | undefined
}

/** A call, with the prices of its first moment. */
type TokenCall = { model: PricedModel; prompt: PromptSize; at: Date }

/** What came out, for an upstream that reports no tokens, or not of what kind they are. */
export type Output = { outputBytes: number; pictures?: number | undefined }

/** Tokens of a picture that comes out, where nobody says how many. */
export const PICTURE_TOKENS = 4_175

/** One call priced by the token: the prices of its first moment hold for all of it. */
export type TokenPrice = {
  /** Without an answer, for work whose result has no tokens. */
  amounts(answer?: AnswerWish): Amounts
  usage(reading: UsageReading, output: Output): StageUsage
}

export function tokenPrice(call: TokenCall & { rules: ReservationRules; log: Log }): TokenPrice {
  const { model, log } = call
  return {
    amounts: (answer) => tokenAmounts(call, answer),
    usage(reading, output) {
      if (reading.kind === 'unusable') logUnusable(log, model.id, reading)
      return tokenUsage(call, reading, output)
    },
  }
}

/** For a caller who names no limit. */
export const DEFAULT_ANSWER_TOKENS = 1_024

/**
 * What goes in, and what is certain to come out, must be affordable; the answer's part is capped, so
 * that a huge `max_tokens` never blocks a normal account.
 */
function tokenAmounts(
  call: TokenCall & { rules: ReservationRules },
  answer: AnswerWish | undefined,
): Amounts {
  const { model, rules } = call
  if (model.free) return NOTHING
  const sureMicro = toMicro(plus(heldPrompt(call), answer ? ordered(call, answer) : NONE), model)
  const answerMicro = answer ? toMicro(heldAnswer(call, answer), model) : 0n
  const cappedMicro = lesser(answerMicro, rules.capMicro)
  return { wantMicro: sureMicro + cappedMicro, needMicro: sureMicro + rules.minMicro }
}

const NONE = decimal(0)

/** At the dearest price that its tokens may turn out to have. */
function heldPrompt({ model, prompt, at }: TokenCall): Decimal {
  const promptTokens = mostPromptTokens(prompt, model.contextLength)
  const plain = { promptTokens, completionTokens: 0, images: prompt.imageCount }
  const uses: TokenUse[] = [plain]
  if (prompt.audioTokens > 0) uses.push({ ...plain, audioTokens: prompt.audioTokens })
  if (prompt.cacheLife !== undefined) uses.push({ ...plain, ...allWritten(prompt, promptTokens) })
  return dearest(uses.map((use) => tokenCost(model.prices, use, at).promptUsd))
}

function allWritten({ cacheLife }: PromptSize, tokens: number): Partial<TokenUse> {
  return { cacheWriteTokens: tokens, cacheWrite1hTokens: cacheLife === '1h' ? tokens : 0 }
}

/** Work that is ordered with the answer, whatever its length: pictures, and what was predicted. */
function ordered({ model, prompt, at }: TokenCall, answer: AnswerWish): Decimal {
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

function heldAnswer({ model, prompt, at }: TokenCall, answer: AnswerWish): Decimal {
  const completionTokens = longestAnswer(answer, model.maxOutputTokens)
  const plain = { promptTokens: promptTokens(prompt), completionTokens }
  const uses: TokenUse[] = [plain, { ...plain, reasoningTokens: completionTokens }]
  if (answer.audio) uses.push({ ...plain, audioOutputTokens: completionTokens })
  return dearest(uses.map((use) => tokenCost(model.prices, use, at).answerUsd))
}

function dearest(costs: Decimal[]): Decimal {
  return costs.reduce((most, cost) => (compare(cost, most) > 0 ? cost : most))
}

function longestAnswer({ maxTokens, choices }: AnswerWish, modelMax: number | undefined): number {
  const tokens = maxTokens ?? DEFAULT_ANSWER_TOKENS
  return Math.min(tokens, modelMax ?? tokens) * choices
}

/**
 * Token prices for what was used. Absent usage is not zero: it is estimated, and the record says
 * so. An explicit zero is zero. What cannot be believed is estimated too.
 */
function tokenUsage(call: TokenCall, reading: UsageReading, output: Output): StageUsage {
  const { model, prompt, at } = call
  const reported = reading.kind === 'reported' ? reading.usage : {}
  const use = {
    ...reported,
    promptTokens: reported.promptTokens ?? promptTokens(prompt),
    completionTokens: reported.completionTokens ?? answerTokens(output),
    audioTokens: reported.audioTokens ?? soundTokens(prompt, reported),
    cacheWrite1hTokens: reported.cacheWrite1hTokens ?? hourWrites(prompt, reported),
    imageOutputTokens: reported.imageOutputTokens ?? pictureTokens(reported, output),
    images: prompt.imageCount,
  }
  const cost = tokenCost(model.prices, use, at)
  const { promptTokens: sent, completionTokens: said } = use
  return {
    costMicro: toMicro(plus(cost.promptUsd, cost.answerUsd), model),
    promptTokens: sent,
    completionTokens: said,
    totalTokens: sent + said,
    estimated: reported.promptTokens === undefined || reported.completionTokens === undefined,
  }
}

/** Tokens of an answer whose upstream counted none. */
function answerTokens({ outputBytes, pictures = 0 }: Output): number {
  return textTokens(outputBytes) + pictures * PICTURE_TOKENS
}

/** Few upstreams tell how long they keep what they wrote: then it is as long as was asked for. */
function hourWrites({ cacheLife }: PromptSize, reported: Usage): number | undefined {
  return cacheLife === '1h' ? reported.cacheWriteTokens : undefined
}

/** Where an upstream does not tell the tokens of sound apart: those that nothing else explains. */
function soundTokens(prompt: PromptSize, reported: Usage): number {
  if (prompt.audioTokens === 0) return 0
  const estimate = promptTokens(prompt)
  return Math.max(0, (reported.promptTokens ?? estimate) - (estimate - prompt.audioTokens))
}

/** The same for the tokens of a picture. */
function pictureTokens(reported: Usage, output: Output): number {
  const { outputBytes, pictures = 0 } = output
  if (pictures === 0) return 0
  const said = reported.completionTokens ?? answerTokens(output)
  return Math.max(0, said - textTokens(outputBytes) - (reported.reasoningTokens ?? 0))
}
