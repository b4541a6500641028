import { addDecimals, decimal, timesDecimals } from '../lib/decimal.ts'
import { creditsNumber, toMicro } from '../ledger/money.ts'
import { notFound, type PricedModel } from '../catalog/catalog.ts'
import type { Asking } from '../lib/telemetry/call-course.ts'
import type { StorableAnswer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { listOf, type Fields } from '../lib/json.ts'
import type { ImageRequest, ImageResult } from '../upstream/contract/contract.ts'
import {
  imagePriceUsd,
  picturePromptUsd,
  type PicturePrompt,
} from '../upstream/prices/media-price.ts'
import type { UsageReading } from '../upstream/contract/usage.ts'
import type { Upstreams } from '../upstream/work.ts'
import { stageOf, totalTokens, type StageUsage } from './bill/rows.ts'
import { answerHeaders, runBilledCall } from './billed-call.ts'
import {
  chatPictures,
  drawnBounds,
  drawnTokens,
  drawnUsage,
  type DrawnPictures,
} from './chat-pictures.ts'
import type { Gateway, GatewayCall, PaidParts, Render } from './gateway.ts'
import { checkLinks } from './links.ts'
import { measureFiles, NO_MEDIA, readPictures } from './media-parts.ts'
import { NOTHING, reserveWhole, type CostEstimate } from './price/cost-estimate.ts'
import { promptSize, textTokens, type PromptSize } from './price/prompt-size.ts'
import { callCharge, logUnusable } from './price/call-charge.ts'
import { reportedCost } from './price/reported-cost.ts'
import { PICTURE_TOKENS } from './price/media-tokens.ts'

/** The fields that the gateway reads. */
export type ImageBody = {
  model: string
  prompt: string
  n?: number | null | undefined
  response_format?: 'b64_json' | null | undefined
  stream?: false | null | undefined
}

/** Pictures as base64; the full price is held, and the upstream's charge is charged. */
export async function generateImages(
  gateway: PaidParts & Pick<Gateway, 'nameForUpstream' | 'upstreams'>,
  call: GatewayCall,
  body: ImageBody,
  render: Render,
): Promise<StorableAnswer & { stored?: true }> {
  checkLinks(body)
  const { model: id, prompt, n, response_format: _format, stream: _stream, ...extra } = body
  const references = Array.isArray((extra as Fields).input_references)
  const model = gateway.catalog.requireModel(id, {
    outputs: ['image'],
    inputs: references ? ['image'] : [],
  })
  const user = gateway.nameForUpstream(call.principal.accountId)
  const request: ImageRequest = { prompt, n: n ?? 1, extra, user }
  const created = Math.floor(gateway.billing.clock.now().getTime() / 1_000)
  const size = await imagePrompt(prompt, extra)
  const sent = picturePrompt(size, extra)
  const priceOf = (pictures: number) => priceMicro(model, pictures, extra, sent)
  const { log, clock } = gateway.billing
  const charge = callCharge({ model, prompt: size, at: clock.now(), log })
  const chargePictures = (reading: UsageReading, pictures: number) => {
    if (countsTokens(model, reading)) {
      const { costMicro } = charge(ofPictures(reading), { outputBytes: 0 })
      return { ...usageOf(model, reading, costMicro), estimated: false }
    }
    logUnusable(log, model.id, reading)
    return usageOf(model, reading, model.free ? 0n : priceOf(pictures))
  }
  return runBilledCall(gateway, call, {
    stage: stageOf('image', model),
    estimate: model.free
      ? NOTHING
      : estimateOf(gateway.upstreams, model, priceOf(request.n), request.n),
    work: (asking, { callLimit }) => {
      const answersMicro = (limitMicro: bigint) => limitMicro - promptMicro(model, sent, request.n)
      const mostTokens =
        callLimit && drawnTokens(model, answersMicro(callLimit.limitMicro), request.n)
      return draw(gateway.upstreams, model, { ...request, mostTokens }, asking)
    },
    usage: (result) => {
      if (!('chats' in result))
        return chargePictures(result.usage, result.images.length || request.n)
      const pictureMicro = hasTokenPrices(model) ? undefined : priceOf(1)
      return drawnUsage(result.chats, { model, charge, pictureMicro })
    },
    accept: ({ images }) => {
      if (images.length > 0) return
      throw new Failure('upstream_failed', 'The model returned no image. Try again.')
    },
    refused: (reading) => chargePictures(reading, request.n),
    answer: (result, usage, receipt) =>
      render({
        data: result.images.map(picture),
        beside: {
          created,
          model: model.id,
          usage: { ...tokensOf(usage), cost_credits: creditsNumber(receipt.chargedMicro) },
        },
        headers: answerHeaders(call.requestId, receipt, result.generationId),
      }),
  })
}

async function draw(
  upstreams: Upstreams,
  model: PricedModel,
  request: ImageRequest,
  asking: Asking,
): Promise<ImageResult | DrawnPictures> {
  if (!isDirect(upstreams, model)) return chatPictures(upstreams, model, request, asking)
  return upstreams.call(model.targets, 'image', request, asking)
}

/** Models without a price list of pictures draw only in a chat. */
function isDirect(upstreams: Upstreams, { targets, prices, outputModalities }: PricedModel) {
  const listed = prices.image_skus !== undefined || !outputModalities.includes('text')
  return listed && upstreams.can(targets, 'image')
}

function estimateOf(
  upstreams: Upstreams,
  model: PricedModel,
  micro: bigint,
  pictures: number,
): CostEstimate {
  const whole = reserveWhole(micro)
  if (isDirect(upstreams, model)) return whole
  return { ...whole, bounds: drawnBounds(model, micro, pictures) }
}

function hasTokenPrices({ prices }: PricedModel): boolean {
  return prices.completion !== undefined || prices.image_output !== undefined
}

type Counted = Extract<UsageReading, { kind: 'reported' }>

/** Pictures that are priced by the token, and whose tokens the upstream has counted. */
function countsTokens({ prices }: PricedModel, reading: UsageReading): reading is Counted {
  if (prices.image_skus !== undefined || prices.image_output === undefined) return false
  return reading.kind === 'reported' && reading.usage.completionTokens !== undefined
}

/** What is not said to be text is a picture. */
function ofPictures({ usage, ...reading }: Counted): Counted {
  return { ...reading, usage: { imageOutputTokens: usage.completionTokens, ...usage } }
}

async function imagePrompt(prompt: string, extra: Fields): Promise<PromptSize> {
  const reading = { ...NO_MEDIA }
  readPictures(extra.input_references, 'input_references', reading)
  await measureFiles(reading)
  return promptSize({ prompt, ...extra }, reading)
}

function picturePrompt(
  { textBytes, mediaTokens, unknown }: PromptSize,
  { input_references: references }: Fields,
): PicturePrompt {
  return {
    textTokens: textTokens(textBytes),
    referenceTokens: mediaTokens + (unknown?.usualTokens ?? 0),
    references: listOf(references).length,
  }
}

function priceMicro(
  model: PricedModel,
  pictures: number,
  parameters: Fields,
  sent: PicturePrompt,
): bigint {
  const { prices } = model
  const usd = imagePriceUsd({ pricing: prices }, pictures, parameters, sent)
  if (usd !== undefined) return toMicro(decimal(usd), model)
  if (prices.completion === undefined) throw notFound(model.id)
  const each = addDecimals(
    timesDecimals(prices.completion, String(PICTURE_TOKENS)),
    picturePromptUsd({ pricing: prices }, sent),
  )
  return toMicro(decimal(timesDecimals(each, String(pictures))), model)
}

/** What the prompts of so many pictures cost. */
function promptMicro(model: PricedModel, sent: PicturePrompt, pictures: number): bigint {
  const usd = picturePromptUsd({ pricing: model.prices }, sent)
  return toMicro(decimal(timesDecimals(usd, String(pictures))), model)
}

function usageOf(
  model: PricedModel,
  reading: ImageResult['usage'],
  catalogMicro: bigint,
): StageUsage {
  const reported = reading.kind === 'reported' ? reading.usage : {}
  const { promptTokens, completionTokens } = reported
  const cost = reportedCost({ reading, rate: model, catalogMicro })
  return { ...cost, promptTokens, completionTokens }
}

function tokensOf(usage: StageUsage): Fields {
  const { promptTokens: input_tokens, completionTokens: output_tokens } = usage
  return { input_tokens, output_tokens, total_tokens: totalTokens(usage) }
}

function picture({ b64Json, mediaType, revisedPrompt }: ImageResult['images'][number]): Fields {
  return { b64_json: b64Json, media_type: mediaType, revised_prompt: revisedPrompt }
}
