import { creditsNumber } from '../billing/money.ts'
import type { PricedModel } from '../catalog/catalog.ts'
import type { KeptAnswer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { prefixedId } from '../lib/ids.ts'
import type { ChatRequest } from '../upstream/contract/contract.ts'
import { answerHeaders } from './answer-headers.ts'
import type { Gateway, GatewayCall, Render } from './gateway.ts'
import { languageName, requireLanguage } from './languages.ts'
import type { MediaKind } from './media/media-format.ts'
import { estimateTokens } from './price/media-tokens.ts'
import { answerTokens, promptTokens } from './price/prompt-size.ts'
import { buy, type Usage } from './billed-call.ts'
import { reserveTokens } from './price/reservation.ts'
import { tellUnusable, tokenUsage } from './price/usage-cost.ts'
import type { Fields } from '../lib/fields.ts'

/** What to look at, and what to say about it. Nothing of it is stored. */
export type Analysis = {
  kind: MediaKind
  media: { bytes: Buffer; type: string; filename: string }
  model: string
  prompt: string
  maxTokens: number | undefined
  temperature: number | undefined
  language: string | undefined
}

const OBJECTS = {
  document: 'document.analysis',
  vision: 'vision.analysis',
  video: 'video.analysis',
} as const

export async function analyze(
  gateway: Gateway,
  call: GatewayCall,
  ask: Analysis,
  render: Render,
): Promise<KeptAnswer & { kept?: true }> {
  const way = wayFor(gateway, ask)
  const { model } = way
  const request = requestOf(gateway, call, ask, way)
  // Made once: the answer is written twice, to be kept and to be sent, and must be the same.
  const id = prefixedId('anl_')
  const at = gateway.desk.clock.now()
  const images = ask.kind === 'vision' ? 1 : 0
  const tariff = { prices: model.prices, rate: model, images, at }
  const estimated = promptTokens({
    textBytes: Buffer.byteLength(ask.prompt),
    imageCount: images,
    mediaTokens: estimateTokens(ask.media.bytes, ask.media.type),
  })
  return buy(gateway, call, {
    stage: {
      kind: `${ask.kind}_analysis`,
      model: model.id,
      priceSnapshotId: model.priceSnapshotId,
    },
    amounts: reserveTokens({
      ...tariff,
      free: model.free,
      rules: gateway.rules,
      promptTokens: estimated,
      answer: {
        maxTokens: ask.maxTokens,
        choices: 1,
        modelMaxTokens: model.maxOutputTokens,
      },
    }),
    work: () => gateway.upstreams.call(way.targets, 'chat', request, call.signal),
    usage: ({ usage, text }) => {
      tellUnusable(gateway.desk.log, model.id, usage)
      const completionTokens = answerTokens(Buffer.byteLength(text))
      const estimate = { promptTokens: estimated, completionTokens }
      return tokenUsage({ ...tariff, reading: usage, estimate })
    },
    answer: ({ text, finishReason, generationId }, usage, receipt) =>
      render({
        data: {
          id,
          object: OBJECTS[ask.kind],
          model: model.id,
          text,
          finish_reason: finishReason,
          usage: usageView(usage, receipt.chargedMicro),
          created_at: at.toISOString(),
        },
        headers: answerHeaders(call.requestId, receipt, generationId),
      }),
  })
}

type Way = { model: PricedModel; targets: PricedModel['targets']; extra: Fields }

/**
 * Whom to ask. Some upstreams turn a PDF into text for any model; they are told how, since their
 * own choice could cost by the page. For everything else the model itself must take the medium.
 */
function wayFor({ catalog, upstreams }: Gateway, { kind, model: id }: Analysis): Way {
  const outputs = ['text']
  if (kind !== 'document') {
    const input = kind === 'vision' ? 'image' : 'video'
    const model = catalog.requireModel(id, { outputs, inputs: [input] })
    return { model, targets: model.targets, extra: {} }
  }
  const model = catalog.requireModel(id, { outputs, inputs: ['text'] })
  const parsing = model.targets.filter((target) => upstreams.parsesFiles(target))
  if (parsing.length > 0) {
    const engine = model.inputModalities.includes('file') ? 'native' : 'cloudflare-ai'
    const plugins = [{ id: 'file-parser', pdf: { engine } }]
    return { model, targets: parsing, extra: { plugins } }
  }
  catalog.requireModel(id, { inputs: ['file'] })
  return { model, targets: model.targets, extra: {} }
}

function requestOf(gateway: Gateway, call: GatewayCall, ask: Analysis, way: Way): ChatRequest {
  const { language, maxTokens, temperature } = ask
  const content = [{ type: 'text', text: ask.prompt }, mediaPart(ask)]
  const answerIn = language && languageName(requireLanguage(language, 'language'))
  return {
    body: {
      messages: [
        ...(answerIn ? [{ role: 'system', content: `Answer in ${answerIn}.` }] : []),
        { role: 'user', content },
      ],
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
    },
    stream: false,
    extra: way.extra,
    user: gateway.nameForUpstream(call.principal.accountId),
    ours: { id: prefixedId('chatcmpl-'), model: way.model.id, created: 0 },
  }
}

function mediaPart({ kind, media }: Analysis): Fields {
  const url = `data:${media.type};base64,${media.bytes.toString('base64')}`
  switch (kind) {
    case 'document':
      return { type: 'file', file: { filename: media.filename, file_data: url } }
    case 'vision':
      return { type: 'image_url', image_url: { url } }
    default:
      return { type: 'video_url', video_url: { url } }
  }
}

function usageView(usage: Usage, chargedMicro: bigint): Fields {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    cost_credits: creditsNumber(chargedMicro),
  }
}

/** A well-formed file that is too large is the caller's to make smaller: 400, not 413. */
export function oversized(field: string, maxBytes: number): Failure {
  const limit = `${maxBytes / 1024 / 1024} MiB`
  return new Failure('invalid', `${field} is larger than ${limit}.`, { param: field })
}
