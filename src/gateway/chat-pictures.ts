import type { CostBounds } from '../ledger/commands.ts'
import { toMicro } from '../ledger/money.ts'
import { COST_BASES, type UpstreamCost } from '../ledger/upstream-cost.ts'
import { decimal, largestDecimal, times, type Decimal } from '../lib/decimal.ts'
import type { Asking } from '../lib/telemetry/call-course.ts'
import type { PricedModel } from '../catalog/catalog.ts'
import { prefixedId } from '../lib/ids.ts'
import { fieldsOf, listOf, type Fields } from '../lib/json.ts'
import { dataUri } from '../upstream/contract/chat-parts.ts'
import type { ChatResult, ImageRequest, ImageResult } from '../upstream/contract/contract.ts'
import type { Upstreams } from '../upstream/work.ts'
import { refusedUsage } from '../upstream/contract/upstream-error.ts'
import type { UsageReading } from '../upstream/contract/usage.ts'
import { sumMicro, type StageUsage } from './bill/rows.ts'
import type { Output } from './price/call-charge.ts'
import { PICTURE_TOKENS } from './price/media-tokens.ts'
import { reportedCost } from './price/reported-cost.ts'

type Pictures = ImageResult['images']

/** A chat that was made, whatever it drew. */
type DrawnChat = Pick<ChatResult, 'usage' | 'outputBytes' | 'pictures'>
export type DrawnPictures = Omit<ImageResult, 'usage'> & { chats: readonly DrawnChat[] }

/** A model that draws in a chat may write much text first; all of it is paid for. */
export function drawnBounds(model: PricedModel, priceMicro: bigint, pictures: number): CostBounds {
  const tokens = (model.maxOutputTokens || model.contextLength || PICTURE_TOKENS) * pictures
  return {
    committedMicro: 0n,
    minimumMicro: priceMicro,
    initialLimitMicro: priceMicro,
    worstCaseMicro: priceMicro + toMicro(times(tokenUsd(model), decimal(tokens)), model),
    fixed: true,
    rough: false,
  }
}

/** Tokens for each picture that the limit pays for, at least one picture's worth. */
export function drawnTokens(model: PricedModel, limitMicro: bigint, pictures: number): number {
  const perMillion = toMicro(times(tokenUsd(model), decimal(MILLION)), model)
  if (perMillion === 0n) return Number.MAX_SAFE_INTEGER
  const tokens = Number((limitMicro * BigInt(MILLION)) / perMillion)
  return Math.max(PICTURE_TOKENS, Math.floor(tokens / pictures))
}

const MILLION = 1_000_000

/** The highest price that one output token may have. */
function tokenUsd({ prices }: PricedModel): Decimal {
  const { completion, image_output: image, internal_reasoning: thought } = prices
  return decimal(largestDecimal([completion ?? '0', image ?? '0', thought ?? '0'])!)
}

/**
 * One chat for each picture, since few such models take `n`. Chats that failed are missing from
 * answer and usage; if all did, the call fails. A chat may have given no picture.
 */
export async function chatPictures(
  upstreams: Upstreams,
  model: PricedModel,
  request: ImageRequest,
  asking: Asking,
): Promise<DrawnPictures> {
  const chats = Array.from({ length: request.n }, () => drawOne(upstreams, model, request, asking))
  const settled = await Promise.allSettled(chats)
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const refused = settled.flatMap((one) =>
    one.status === 'fulfilled' ? [] : (refusedUsage(one.reason) ?? []),
  )
  if (answers.length + refused.length === 0) throw firstFailure(settled)
  const images = answers.flatMap(({ body }) => picturesIn(body)).slice(0, request.n)
  const made = [...answers.map(drawnChat), ...refused.map(refusedChat)]
  return { images, chats: made, generationId: answers[0]?.generationId }
}

function drawnChat({ usage, outputBytes, pictures }: ChatResult): DrawnChat {
  return { usage, outputBytes, pictures }
}

/** Where nothing was counted, it is taken for a picture. */
function refusedChat(usage: UsageReading): DrawnChat {
  return { usage, outputBytes: 0, pictures: usage.kind === 'reported' ? 0 : 1 }
}

async function drawOne(
  upstreams: Upstreams,
  model: PricedModel,
  request: ImageRequest,
  asking: Asking,
): Promise<ChatResult> {
  const ours = { id: prefixedId('chatcmpl-'), model: model.id, created: 0 }
  const { user, mostTokens } = request
  const chat = { body: chatBody(request), stream: false, ours, user, mostTokens }
  return upstreams.call(model.targets, 'chat', chat, asking)
}

function chatBody({ prompt, extra }: ImageRequest): Fields {
  const { input_references: references, aspect_ratio: ratio, ...rest } = extra
  const content = [{ type: 'text', text: prompt }, ...listOf(references)]
  return {
    ...rest,
    ...(ratio === undefined ? {} : { image_config: { aspect_ratio: ratio } }),
    messages: [{ role: 'user', content }],
    modalities: ['image', 'text'],
  }
}

/** Each is a data URI in `choices[].message.images[].image_url.url`; links are not followed. */
function picturesIn(body: Fields): Pictures {
  const choices = listOf(body.choices)
  const parts = choices.flatMap((choice) => listOf(fieldsOf(fieldsOf(choice).message).images))
  return parts.flatMap((part) => {
    const { url } = fieldsOf(fieldsOf(part).image_url)
    return typeof url === 'string' ? fromDataUri(url) : []
  })
}

function fromDataUri(url: string): Pictures {
  const found = dataUri(url)
  if (found === undefined || found.data === '' || !PICTURE.test(found.mediaType)) return []
  return [{ b64Json: found.data, mediaType: found.mediaType }]
}

const PICTURE = /^image\/[a-z0-9.+-]{1,60}$/

type ChatPrices = {
  model: PricedModel
  charge(reading: UsageReading, output: Output): StageUsage
  /** Of one picture, for a model whose tokens have no price. */
  pictureMicro: bigint | undefined
}

/** Charged as the chats that they were, whatever they drew. */
export function drawnUsage(chats: readonly DrawnChat[], prices: ChatPrices): StageUsage {
  const lines = chats.map((chat) => chatUsage(chat, prices))
  const sum = (count: (line: StageUsage) => number | undefined) =>
    lines.reduce((total, line) => total + (count(line) ?? 0), 0)
  return {
    costMicro: sumMicro(lines.map(({ costMicro }) => costMicro)),
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    estimated: lines.some(({ estimated }) => estimated),
    upstreamCost: sumCosts(lines.flatMap(({ upstreamCost }) => upstreamCost ?? [])),
  }
}

function chatUsage(chat: DrawnChat, { model, charge, pictureMicro }: ChatPrices): StageUsage {
  const counted = charge(chat.usage, chat)
  if (model.free) return counted
  const catalogMicro = pictureMicro ?? counted.costMicro
  const cost = reportedCost({ reading: chat.usage, rate: model, catalogMicro })
  return cost.estimated ? { ...counted, costMicro: catalogMicro } : { ...counted, ...cost }
}

function sumCosts(costs: readonly UpstreamCost[]): UpstreamCost {
  const bases = COST_BASES.filter((one) => costs.some(({ basis }) => basis === one))
  const basis = bases.length === 1 ? bases[0]! : 'estimated'
  return { nusd: costs.reduce((total, { nusd }) => total + nusd, 0n), basis }
}

function firstFailure(settled: PromiseSettledResult<unknown>[]): unknown {
  return settled.find((one) => one.status === 'rejected')?.reason
}
