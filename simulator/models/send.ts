import { randomBytes } from 'node:crypto'
import type { Exchange, Json } from './exchange.ts'
import { breakOff, pause, write } from './exchange.ts'

/** A JSON answer, whole or damaged as the fault says. */
export async function sendJson(exchange: Exchange, answer: Json, options: SendOptions = {}) {
  const { res, fault } = exchange
  if (!(await pause(exchange, exchange.latency.firstMs))) return
  const text = JSON.stringify(fault === 'no-choices' ? withoutEssentials(answer) : answer)
  const headers = { 'content-type': 'application/json', ...options.headers }
  const half = text.slice(0, text.length >> 1)
  if (fault === 'short-length') {
    res.writeHead(options.status ?? 200, {
      ...headers,
      'content-length': Buffer.byteLength(text) + 99,
    })
    res.write(text)
    setTimeout(() => res.socket?.end(), 20)
  } else if (fault === 'reset' || fault === 'stall' || fault === 'cut') {
    res.writeHead(options.status ?? 200, headers)
    await write(exchange, half)
    if (fault === 'stall') return
    await pause(exchange, 20)
    breakOff(exchange)
  } else {
    const lead = fault === 'newlines' ? '\n\n\n' : ''
    res.writeHead(options.status ?? 200, headers)
    res.end(lead + text)
  }
}

/** Raw bytes: speech and the like. */
export async function sendBytes(exchange: Exchange, bytes: Buffer, headers: Json) {
  const { res, fault } = exchange
  if (!(await pause(exchange, exchange.latency.firstMs))) return
  res.writeHead(200, headers as Record<string, string>)
  if (fault !== 'reset' && fault !== 'stall') {
    res.end(bytes)
    return
  }
  await write(exchange, bytes.subarray(0, bytes.length >> 1))
  if (fault === 'stall') return
  await pause(exchange, 20)
  breakOff(exchange)
}

export type SendOptions = { status?: number; headers?: Record<string, string> }

export const generationId = (): string =>
  `gen-${Math.floor(Date.now() / 1000)}-${randomBytes(10).toString('hex')}`

export const generationHeader = (id: string) => ({ headers: { 'x-generation-id': id } })

/** Removes the members that a caller cannot do without. */
function withoutEssentials(answer: Json): Json {
  const essential = ['choices', 'data', 'text', 'id', 'status']
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !essential.includes(name)))
}
