import type { Answer } from '../lib/answer.ts'
import { invalidField } from '../lib/failure.ts'
import type { EmbeddingsResult } from '../upstream/contract/contract.ts'
import { vectorBase64 } from '../upstream/contract/vectors.ts'
import type { UsageReading } from '../upstream/contract/usage.ts'
import { stageOf, type StageUsage } from './bill/rows.ts'
import { jsonAnswer, runBilledCall } from './billed-call.ts'
import type { Gateway, GatewayCall } from './gateway.ts'
import { promptTokens, tokenPrice } from './price/call-price.ts'

export type EmbeddingsBody = {
  model: string
  input: unknown
  encoding_format?: 'float' | 'base64' | null | undefined
}

const MOST_INPUTS = 2_048

/** One vector per input, in order, in the requested encoding. */
export async function embed(
  gateway: Gateway,
  call: GatewayCall,
  body: EmbeddingsBody,
): Promise<Answer & { kept?: true }> {
  const input = measureInput(body.input)
  const model = gateway.catalog.requireModel(body.model, { outputs: ['embeddings'], inputs: [] })
  const { billing, rules } = gateway
  const price = tokenPrice({
    model,
    promptTokens: input.tokens,
    images: 0,
    at: billing.clock.now(),
    rules,
    log: billing.log,
  })
  const user = gateway.nameForUpstream(call.principal.accountId)
  const request = { body, user, inputs: input.count }
  return runBilledCall(gateway, call, {
    stage: stageOf('embeddings', model),
    amounts: price.amounts(),
    work: (signal) => gateway.upstreams.call(model.targets, 'embeddings', request, signal),
    usage: ({ usage }) => price.usage(promptOnly(usage), 0),
    answer: (result, usage, receipt) =>
      jsonAnswer(embeddingList(result, usage, model.id, body.encoding_format), {
        requestId: call.requestId,
        receipt,
        generationId: result.generationId,
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
    throw invalidField(
      'input',
      'must be a string, an array of strings, or an array of token arrays',
    )
  }
  if (typeof input[0] === 'number') return { count: 1, tokens: tokenCount(input, 'input') }
  if (input.length > MOST_INPUTS)
    throw invalidField('input', `must have at most ${MOST_INPUTS} items`)
  let tokens = 0
  input.forEach((item: unknown, i) => {
    const at = `input[${i}]`
    tokens += Array.isArray(item) ? tokenCount(item, at) : textTokens(item, at)
  })
  return { count: input.length, tokens }
}

function textTokens(text: unknown, at: string): number {
  if (typeof text !== 'string') throw invalidField(at, 'must be a string or an array of tokens')
  if (text === '') throw invalidField(at, 'must not be empty')
  return promptTokens({ textBytes: Buffer.byteLength(text), imageCount: 0, mediaTokens: 0 })
}

function tokenCount(tokens: unknown[], at: string): number {
  if (tokens.length === 0) throw invalidField(at, 'must not be empty')
  const bad = tokens.findIndex((token) => !Number.isSafeInteger(token) || (token as number) < 0)
  if (bad >= 0) throw invalidField(`${at}[${bad}]`, 'must be a token: a whole number, 0 or more')
  return tokens.length
}

function embeddingList(
  result: EmbeddingsResult,
  usage: StageUsage,
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
