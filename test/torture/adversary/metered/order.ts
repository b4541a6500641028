import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { worth } from '../models.ts'
import type { Meter } from '../tally.ts'
import type { MeteredModel } from './models.ts'

export type Body = Record<string, unknown>

/** One request as a metered upstream takes it. */
export type Order = {
  model: MeteredModel
  body: Body
  raw: Buffer
  headers: IncomingHttpHeaders
  meter: Meter
  res: ServerResponse
  /** The last part of the path. */
  verb: string
}

/** What a caller may talk a model into, by a word of the prompt. */
export const WISHES = {
  /** Much text, and where a picture was asked for, none beside the first. */
  essay: 'agizo:insha',
  noPicture: 'agizo:hakuna-picha',
  wrongArguments: 'agizo:hoja-mbaya',
  emptyCall: 'agizo:mwito-tupu',
  inaudible: 'agizo:bubu',
  missingVector: 'agizo:pungufu',
} as const

export type Wish = keyof typeof WISHES

export function wishes({ raw }: Pick<Order, 'raw'>, wish: Wish): boolean {
  return raw.includes(WISHES[wish])
}

const FEW_TOKENS = 20

/** The answer's tokens: few, unless it was asked for an essay. */
export function answerTokens(order: Order, limit: unknown): number {
  const { mostTokens = FEW_TOKENS } = order.model
  const most = typeof limit === 'number' && limit > 0 ? Math.min(limit, mostTokens) : mostTokens
  return wishes(order, 'essay') ? most : Math.min(most, FEW_TOKENS)
}

/** Thoughts and arguments are part of the limit. */
export function upTo(limit: unknown, tokens: number): number {
  return typeof limit === 'number' && limit > 0 ? Math.min(limit, tokens) : tokens
}

/** Four letters a token. */
export function sayTokens(tokens: number): string {
  return 'maji'.repeat(tokens)
}

export function beginEvents(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.flushHeaders()
}

export function sendEvents(res: ServerResponse, events: readonly object[], named = false): void {
  for (const event of events) {
    const name = named ? `event: ${(event as { type: string }).type}\n` : ''
    res.write(`${name}data: ${JSON.stringify(event)}\n\n`)
  }
}

/** No model writes a novel in a moment: a credit's worth in each, and not forever. */
const PIECE_MS = 50
const PIECE_MICRO = 1_000_000n
const MOST_PIECES = 150

/** What a stream says of so many tokens, which it bills as it says it. Undefined: the reader left. */
export async function sayPaced(
  { res, meter, model }: Order,
  wanted: number,
  eventOf: (text: string) => object,
  named = false,
): Promise<number | undefined> {
  const price = worth(1, model.prices.answer!)
  const each = Math.max(1, Number(PIECE_MICRO / price))
  const tokens = Math.min(wanted, each * MOST_PIECES)
  for (let said = 0; said < tokens; said += each) {
    await meter.pause(PIECE_MS)
    if (res.destroyed) {
      meter.left()
      return undefined
    }
    const now = Math.min(each, tokens - said)
    meter.add(price * BigInt(now))
    sendEvents(res, [eventOf(sayTokens(now))], named)
  }
  return tokens
}
