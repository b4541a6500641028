import type { Answer } from '../lib/answer.ts'
import { invalidField } from '../lib/failure.ts'
import type { EmbeddingsResult } from '../upstream/contract/contract.ts'
import { vectorBase64 } from '../upstream/contract/vectors.ts'
import type { UsageReading } from '../upstream/contract/usage.ts'
import { stageOf, type StageUsage } from './bill/rows.ts'
import { jsonAnswer, runBilledCall } from './billed-call.ts'
import type { ChatParts, GatewayCall } from './gateway.ts'
import { callCharge } from './price/call-charge.ts'
import { callHold } from './price/call-hold.ts'
import { EMPTY_PROMPT, measureJson, promptTokens } from './price/prompt-size.ts'

export type EmbeddingsBody = {
  model: string
  input: unknown
  encoding_format?: 'float' | 'base64' | null | undefined
}

const MOST_INPUTS = 2_048

export async function embed(
  gateway: ChatParts,
  call: GatewayCall,
  body: EmbeddingsBody,
): Promise<Answer & { stored?: true }> {
  const input = measureInput(body.input)
  const model = gateway.catalog.requireModel(body.model, { outputs: ['embeddings'], inputs: [] })
  const { billing, rules } = gateway
  const textBytes = restBytes(body)
  // An upper bound: one token for each byte, and no more per input than the model reads.
  const mostRead = model.contextLength ? model.contextLength * input.count : Infinity
  const mostTokens = Math.min(input.bytes, mostRead) + textBytes
  const prompt = { ...EMPTY_PROMPT, textBytes, mediaTokens: input.tokens, mostTokens }
  const at = billing.clock.now()
  const charge = callCharge({ model, prompt, at, log: billing.log })
  const chargeOf = (reading: UsageReading) => charge(promptOnly(reading), { outputBytes: 0 })
  const user = gateway.nameForUpstream(call.principal.accountId)
  const request = { body, user, inputs: input.count }
  return runBilledCall(gateway, call, {
    stage: stageOf('embeddings', model),
    estimate: callHold({ model, prompt, at, rules }).estimate(),
    work: (asking) => gateway.upstreams.call(model.targets, 'embeddings', request, asking),
    usage: ({ usage }) => chargeOf(usage),
    refused: chargeOf,
    answer: (result, usage, receipt) =>
      jsonAnswer(embeddingList(result, usage, model.id, body.encoding_format), {
        requestId: call.requestId,
        receipt,
        generationId: result.generationId,
      }),
  })
}

/** Vectors have no completion tokens: their absence does not make the count an estimate. */
function promptOnly(reading: UsageReading): UsageReading {
  if (reading.kind !== 'reported') return reading
  const { completionTokens = 0 } = reading.usage
  return { ...reading, usage: { ...reading.usage, completionTokens } }
}

/** Other fields go upstream too, and some are read by the model. */
function restBytes({ input: _input, model: _model, ...rest }: EmbeddingsBody): number {
  return Object.keys(rest).length === 0 ? 0 : measureJson(rest).bytes
}

/** `bytes` counts a token as one byte. */
type Input = { count: number; tokens: number; bytes: number }

function measureInput(input: unknown): Input {
  if (typeof input === 'string') {
    return { count: 1, tokens: textTokens(input, 'input'), bytes: Buffer.byteLength(input) }
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw invalidField(
      'input',
      'must be a string, an array of strings, or an array of token arrays',
    )
  }
  if (typeof input[0] === 'number') {
    const tokens = tokenCount(input, 'input')
    return { count: 1, tokens, bytes: tokens }
  }
  if (input.length > MOST_INPUTS)
    throw invalidField('input', `must have at most ${MOST_INPUTS} items`)
  let [tokens, bytes] = [0, 0]
  input.forEach((item: unknown, i) => {
    const at = `input[${i}]`
    tokens += Array.isArray(item) ? tokenCount(item, at) : textTokens(item, at)
    bytes += Array.isArray(item) ? item.length : Buffer.byteLength(item as string)
  })
  return { count: input.length, tokens, bytes }
}

function textTokens(text: unknown, at: string): number {
  if (typeof text !== 'string') throw invalidField(at, 'must be a string or an array of tokens')
  if (text === '') throw invalidField(at, 'must not be empty')
  return promptTokens({ ...EMPTY_PROMPT, textBytes: Buffer.byteLength(text) })
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
  const write = encoding === 'base64' ? vectorBase64 : (vector: Float32Array) => Array.from(vector)
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
