import { creditsNumber } from '../ledger/money.ts'
import type { PricedModel } from '../catalog/catalog.ts'
import type { StorableAnswer } from '../lib/answer.ts'
import { invalidField, type Failure } from '../lib/failure.ts'
import { answerId, prefixedId } from '../lib/ids.ts'
import type { Fields } from '../lib/json.ts'
import type { ChatRequest } from '../upstream/contract/contract.ts'
import { stageOf, totalTokens, type StageUsage } from './bill/rows.ts'
import { affordableRequest, answerHeaders, runBilledCall } from './billed-call.ts'
import type { ChatParts, Gateway, GatewayCall, Render } from './gateway.ts'
import { languageName, requireLanguage } from './languages.ts'
import { addFile, NO_MEDIA } from './media-parts.ts'
import type { MediaKind } from './media/media-format.ts'
import { callCharge } from './price/call-charge.ts'
import { callHold } from './price/call-hold.ts'
import type { FileSize } from './price/media-tokens.ts'
import { promptSize, type PromptSize } from './price/prompt-size.ts'

/** A file and what is asked about it. Nothing of it is stored. */
export type Analysis = {
  kind: MediaKind
  media: { bytes: Buffer; type: string; filename: string; size: FileSize }
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
  gateway: ChatParts,
  call: GatewayCall,
  analysis: Analysis,
  render: Render,
): Promise<StorableAnswer & { stored?: true }> {
  const route = routeFor(gateway, analysis)
  const { model } = route
  const request = chatRequest(gateway, call, analysis, route)
  // Made once: the stored answer and the sent one must be the same.
  const id = answerId('anl_', call.requestId)
  const { billing, rules } = gateway
  const at = billing.clock.now()
  const prompt = sizeOf(analysis, request.body)
  const hold = callHold({ model, prompt, at, rules })
  const charge = callCharge({ model, prompt, at, log: billing.log })
  const { maxTokens } = analysis
  const answer = { maxTokens, hardLimit: maxTokens, choices: 1 }
  return runBilledCall(gateway, call, {
    stage: stageOf(`${analysis.kind}_analysis`, model),
    estimate: hold.estimate(answer),
    work: (asking, { callLimit }) => {
      const tokens = callLimit && hold.affordable(callLimit.limitMicro, callLimit.bounds, answer)
      const asked =
        tokens === undefined ? request : affordableRequest(request, tokens, 1, callLimit!)
      return gateway.upstreams.call(route.targets, 'chat', asked, asking)
    },
    usage: (result) => charge(result.usage, result),
    refused: (reading) => charge(reading, { outputBytes: 0 }),
    answer: ({ text, finishReason, generationId }, usage, receipt) =>
      render({
        data: {
          id,
          object: OBJECTS[analysis.kind],
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

function sizeOf({ kind, media }: Analysis, body: Fields): PromptSize {
  const reading = {
    ...NO_MEDIA,
    imageCount: kind === 'vision' ? 1 : 0,
    mediaBytes: Math.ceil(media.bytes.length / 3) * 4,
  }
  addFile(media.size, 'mediaTokens', reading)
  return promptSize(body, reading)
}

type Route = { model: PricedModel; targets: PricedModel['targets']; extra: Fields }

/**
 * Some upstreams turn a PDF into text for any model; the engine is named, since their own choice
 * may cost by the page. For everything else the model itself must accept the file.
 */
function routeFor(
  { catalog, upstreams }: Pick<Gateway, 'catalog' | 'upstreams'>,
  { kind, model: id }: Analysis,
): Route {
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

function chatRequest(
  gateway: Pick<Gateway, 'nameForUpstream'>,
  call: GatewayCall,
  analysis: Analysis,
  route: Route,
): ChatRequest {
  const { prompt, language, maxTokens, temperature } = analysis
  const content = [{ type: 'text', text: prompt }, mediaPart(analysis)]
  const answerIn = language && languageName(requireLanguage(language, 'language'))
  return {
    body: {
      messages: [
        ...(answerIn ? [{ role: 'system', content: `Answer in ${answerIn}.` }] : []),
        { role: 'user', content },
      ],
      max_tokens: maxTokens,
      temperature,
    },
    stream: false,
    extra: route.extra,
    user: gateway.nameForUpstream(call.principal.accountId),
    ours: { id: prefixedId('chatcmpl-'), model: route.model.id, created: 0 },
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

function usageView(usage: StageUsage, chargedMicro: bigint): Fields {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: totalTokens(usage),
    cost_credits: creditsNumber(chargedMicro),
  }
}

/** A valid file that is too large is 400, not 413. */
export function oversized(field: string, maxBytes: number): Failure {
  const limit = `${maxBytes / 1024 / 1024} MiB`
  return invalidField(field, `is larger than ${limit}`)
}
