import type { PricedModel } from '../../catalog/catalog.ts'
import { Failure } from '../../lib/failure.ts'
import { prefixedId } from '../../lib/ids.ts'
import type { ChatRequest, ModelTarget } from '../../upstream/contract/contract.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'
import type { Stage } from '../bill/rows.ts'
import { readMessages, type InputModality } from './messages.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import { answerTokens, promptTokens } from '../price/prompt-size.ts'
import type { Usage } from '../billed-call.ts'
import { reserveTokens, type Amounts } from '../price/reservation.ts'
import { tellUnusable, tokenUsage } from '../price/usage-cost.ts'

/** The fields of a chat body that the gateway itself reads. The rest passes through untouched. */
export type ChatBody = {
  model: string
  messages: unknown[]
  stream?: boolean | null | undefined
  stream_options?: { include_usage?: boolean | undefined } | null | undefined
  max_tokens?: number | null | undefined
  max_completion_tokens?: number | null | undefined
  n?: number | null | undefined
  tools?: unknown[] | null | undefined
  modalities?: string[] | null | undefined
}

/** A chat that has been understood: what to ask, of whom, what to hold, how to bill. */
export type ChatOrder = {
  stage: Stage
  amounts: Amounts
  targets: readonly ModelTarget[]
  request: ChatRequest
  bill(reading: UsageReading, outputBytes: number): Usage
}

export function orderChat(gateway: Gateway, call: GatewayCall, body: ChatBody): ChatOrder {
  const size = readMessages(body.messages)
  size.textBytes += toolBytes(body.tools)
  const model = requireChatModel(gateway, body, size.modalities)
  const tariff = {
    prices: model.prices,
    rate: model,
    images: size.imageCount,
    at: gateway.desk.clock.now(),
  }
  const estimated = promptTokens(size)
  return {
    stage: { kind: 'chat', model: model.id, priceSnapshotId: model.priceSnapshotId },
    amounts: reserveTokens({
      ...tariff,
      free: model.free,
      rules: gateway.rules,
      promptTokens: estimated,
      answer: {
        maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
        choices: body.n ?? 1,
        modelMaxTokens: model.maxOutputTokens,
      },
    }),
    targets: model.targets,
    request: chatRequest(gateway, call, body, model.id),
    bill(reading, outputBytes) {
      tellUnusable(gateway.desk.log, model.id, reading)
      const estimate = {
        promptTokens: estimated,
        completionTokens: answerTokens(outputBytes),
      }
      return tokenUsage({ ...tariff, reading, estimate })
    },
  }
}

function chatRequest(
  gateway: Gateway,
  call: GatewayCall,
  body: ChatBody,
  model: string,
): ChatRequest {
  return {
    body,
    stream: body.stream === true,
    user: gateway.nameForUpstream(call.principal.accountId),
    ours: {
      id: prefixedId('chatcmpl-'),
      model,
      created: Math.floor(gateway.desk.clock.now().getTime() / 1_000),
    },
  }
}

/** Before any upstream is asked: the model must take what is sent and give what is wanted. */
function requireChatModel(
  gateway: Gateway,
  body: ChatBody,
  inputs: Set<InputModality>,
): PricedModel {
  const wanted = (body.modalities ?? []).filter((one) => one !== 'text')
  return gateway.catalog.requireModel(body.model, {
    outputs: ['text', ...wanted],
    inputs: [...inputs],
  })
}

/** Tools that run at the upstream cost money per use that no token price covers. */
function toolBytes(tools: unknown[] | null | undefined): number {
  if (!tools || tools.length === 0) return 0
  tools.forEach((tool, i) => {
    if ((tool as { type?: unknown } | null)?.type === 'function') return
    const param = `tools[${i}].type`
    throw new Failure('invalid', `${param} must be "function".`, { param })
  })
  return Buffer.byteLength(JSON.stringify(tools))
}
