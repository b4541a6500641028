import type { Answer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import type { EmbeddingsResult } from '../upstream/contract/contract.ts'
import type { UsageReading } from '../upstream/contract/usage.ts'
import { answerHeaders, JSON_TYPE } from './answer-headers.ts'
import type { Gateway, GatewayCall } from './gateway.ts'
import { promptTokens } from './price/prompt-size.ts'
import { buy, type Usage } from './billed-call.ts'
import { reserveTokens } from './price/reservation.ts'
import { tellUnusable, tokenUsage } from './price/usage-cost.ts'
import { vectorBase64 } from '../upstream/contract/vectors.ts'

export type EmbeddingsBody = {
  model: string
  input: unknown
  encoding_format?: 'float' | 'base64' | null | undefined
}

const MOST_INPUTS = 2_048

/** One vector per input, in order, in the encoding that was asked for. */
export async function embed(
  gateway: Gateway,
  call: GatewayCall,
  body: EmbeddingsBody,
): Promise<Answer & { kept?: true }> {
  const input = measureInput(body.input)
  const model = gateway.catalog.requireModel(body.model, { outputs: ['embeddings'], inputs: [] })
  const tariff = {
    prices: model.prices,
    rate: model,
    images: 0,
    at: gateway.desk.clock.now(),
  }
  const user = gateway.nameForUpstream(call.principal.accountId)
  const request = { body, user, inputs: input.count }
  return buy(gateway, call, {
    stage: { kind: 'embeddings', model: model.id, priceSnapshotId: model.priceSnapshotId },
    amounts: reserveTokens({
      ...tariff,
      free: model.free,
      rules: gateway.rules,
      promptTokens: input.tokens,
      answer: undefined,
    }),
    work: () => gateway.upstreams.call(model.targets, 'embeddings', request, call.signal),
    usage({ usage }) {
      tellUnusable(gateway.desk.log, model.id, usage)
      return tokenUsage({
        ...tariff,
        reading: promptOnly(usage),
        estimate: { promptTokens: input.tokens, completionTokens: 0 },
      })
    },
    answer: (result, usage, receipt) => ({
      status: 200,
      headers: {
        'content-type': JSON_TYPE,
        ...answerHeaders(call.requestId, receipt, result.generationId),
      },
      body: JSON.stringify(embeddingList(result, usage, model.id, body.encoding_format)),
    }),
  })
}

/** A vector has no completion: that it is not reported does not make the count an estimate. */
function promptOnly(reading: UsageReading): UsageReading {
  if (reading.kind !== 'reported') return reading
  return { kind: 'reported', usage: { ...reading.usage, completionTokens: 0 } }
}

function measureInput(input: unknown): { count: number; tokens: number } {
  if (typeof input === 'string') return { count: 1, tokens: textTokens(input, 'input') }
  if (!Array.isArray(input) || input.length === 0) {
    throw wrong('input', 'must be a string, an array of strings, or an array of token arrays')
  }
  if (typeof input[0] === 'number') return { count: 1, tokens: tokenCount(input, 'input') }
  if (input.length > MOST_INPUTS) throw wrong('input', `takes at most ${MOST_INPUTS} items`)
  let tokens = 0
  input.forEach((item: unknown, i) => {
    const at = `input[${i}]`
    tokens += Array.isArray(item) ? tokenCount(item, at) : textTokens(item, at)
  })
  return { count: input.length, tokens }
}

function textTokens(text: unknown, at: string): number {
  if (typeof text !== 'string') throw wrong(at, 'must be a string or an array of tokens')
  if (text === '') throw wrong(at, 'must not be empty')
  return promptTokens({ textBytes: Buffer.byteLength(text), imageCount: 0, mediaTokens: 0 })
}

function tokenCount(tokens: unknown[], at: string): number {
  if (tokens.length === 0) throw wrong(at, 'must not be empty')
  const bad = tokens.findIndex((token) => !Number.isSafeInteger(token) || (token as number) < 0)
  if (bad >= 0) throw wrong(`${at}[${bad}]`, 'must be a token number, 0 or more')
  return tokens.length
}

function embeddingList(
  result: EmbeddingsResult,
  usage: Usage,
  model: string,
  encoding: EmbeddingsBody['encoding_format'],
): unknown {
  const write = encoding === 'base64' ? vectorBase64 : floats
  return {
    object: 'list',
    data: result.vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: write(vector),
    })),
    model,
    usage: { prompt_tokens: usage.promptTokens, total_tokens: usage.promptTokens },
  }
}

function floats(vector: Float32Array): number[] {
  return Array.from(vector)
}

function wrong(field: string, why: string): Failure {
  return new Failure('invalid', `${field} ${why}.`, { param: field })
}
