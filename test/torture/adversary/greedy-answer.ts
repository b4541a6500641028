import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { worth, type GreedyModel } from './models.ts'
import { promptTokens } from './prompt-tokens.ts'
import type { Meter } from './tally.ts'

/** A chat as the glutton takes it. `tokens` are those of all choices. */
export type Order = {
  model: GreedyModel
  promptTokens: number
  tokens: number
  choices: number
  /** How many of them are thoughts, which come first. */
  hidden: number
  /** Bytes beside the text in each piece, for who asks for likelihoods. */
  padding: number
}

/** Of two limits it keeps to the larger one, and its thoughts come on top. */
export function orderOf(model: GreedyModel, body: Record<string, unknown>): Order {
  const limits = [body.max_tokens, body.max_completion_tokens].filter(isCount)
  const { max_tokens: thoughts } = (body.reasoning ?? {}) as { max_tokens?: unknown }
  const most = limits.length > 0 ? Math.max(...limits) : Infinity
  const wanted = most + (model.thinks && isCount(thoughts) ? thoughts : 0)
  const choices = isCount(body.n) ? body.n : 1
  const tokens = Math.min(wanted, model.mostTokens) * choices
  return {
    model,
    // What a model never reads is not counted.
    promptTokens: promptTokens({ ...body, model: null, user: null, stream_options: null }),
    tokens,
    choices,
    hidden: model.thinks ? Math.floor(tokens * 0.4) : 0,
    padding: body.logprobs === true ? 16_384 : 0,
  }
}

/** Ten credits a second: the dearest models there are say fifty tokens in that time. */
const PIECE_MS = 100
const PIECE_MICRO = 1_000_000
/** Between the last word and the finish: time enough for a reader to be gone. */
const BEFORE_FINISH_MS = 40
const LONGEST_WHOLE_MS = 2_000

function paceMs({ model }: Order): number {
  return model.slowMs ?? PIECE_MS
}

function pieceTokens({ model }: Order): number {
  return Math.max(1, Math.floor(PIECE_MICRO / Number(worth(1, model.answerUsd))))
}

/** It does not wait for its reader: what it has said, it has said. */
export async function streamAnswer(order: Order, meter: Meter, res: ServerResponse): Promise<void> {
  res.once('close', () => {
    if (!res.writableFinished) meter.left()
  })
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.flushHeaders()
  const { tokens, hidden, model } = order
  const each = pieceTokens(order)
  for (let said = 0, nth = 0; said < tokens; said += each, nth++) {
    await meter.pause(paceMs(order))
    if (res.destroyed) return
    const now = Math.min(each, tokens - said)
    meter.add(worth(now, model.answerUsd))
    res.write(said < hidden ? ': thinking\n\n' : chunkOf(order, nth, now))
  }
  await sleep(BEFORE_FINISH_MS)
  if (res.destroyed) return
  for (let index = 0; index < order.choices; index++) {
    res.write(event({ choices: [{ index, delta: {}, finish_reason: 'stop' }] }))
  }
  res.end(`${event({ choices: [], usage: usageOf(order) })}data: [DONE]\n\n`)
}

function chunkOf(order: Order, nth: number, tokens: number): string {
  const logprobs = order.padding > 0 ? { content: ['x'.repeat(order.padding)] } : null
  const delta = { content: textOf(order.model, nth, tokens) }
  return event({ choices: [{ index: nth % order.choices, delta, finish_reason: null, logprobs }] })
}

function event(more: object): string {
  const chunk = { id: 'gen-mlafi', object: 'chat.completion.chunk', created: 1, ...more }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** Numbers and hippos: a token for every byte. */
function textOf({ words }: GreedyModel, nth: number, tokens: number): string {
  if (words) return 'maji'.repeat(tokens)
  if (nth % 2 === 0) return '7'.repeat(tokens)
  return '🦛'.repeat(tokens >> 2) + '7'.repeat(tokens % 4)
}

/** The same pace, but no longer than a caller would wait. One broken off has cost its share. */
export async function answerWhole(order: Order, meter: Meter, res: ServerResponse): Promise<void> {
  const { model, tokens, hidden, choices } = order
  const unhurriedMs = (tokens / pieceTokens(order)) * paceMs(order)
  const allMs = model.slowMs ? unhurriedMs : Math.min(LONGEST_WHOLE_MS, unhurriedMs)
  const startedMs = performance.now()
  await sleep(allMs, undefined, { signal: closedSignal(res) }).catch(() => {})
  const share = res.destroyed ? Math.min(1, (performance.now() - startedMs) / allMs) : 1
  meter.add(worth(tokens * share, model.answerUsd))
  if (res.destroyed) return meter.left()
  const content = textOf(model, 0, Math.floor((tokens - hidden) / choices))
  const message = { role: 'assistant', content }
  sendJson(res, {
    id: 'gen-mlafi',
    object: 'chat.completion',
    choices: Array.from({ length: choices }, (_, index) => ({
      index,
      message,
      finish_reason: 'stop',
    })),
    usage: usageOf(order),
  })
}

export function sendJson(res: ServerResponse, body: unknown): void {
  res.writeHead(200, { 'content-type': 'application/json' })
  res.end(JSON.stringify(body))
}

function closedSignal(res: ServerResponse): AbortSignal {
  const closed = new AbortController()
  res.once('close', () => closed.abort())
  return closed.signal
}

function usageOf({ promptTokens, tokens, hidden }: Order) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: tokens,
    total_tokens: promptTokens + tokens,
    completion_tokens_details: { reasoning_tokens: hidden },
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}
