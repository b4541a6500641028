import type { Exchange, Json } from './exchange.ts'
import { breakOff, pause, write } from './exchange.ts'

/** A JSON answer, whole or as a fault leaves it. */
export async function sendJson(exchange: Exchange, answer: Json, more: Answering = {}) {
  const { res, fault } = exchange
  if (!(await pause(exchange, exchange.latency.firstMs))) return
  const text = JSON.stringify(fault === 'no-choices' ? without(answer) : answer)
  const headers = { 'content-type': 'application/json', ...more.headers }
  const half = text.slice(0, text.length >> 1)
  if (fault === 'short-length') {
    res.writeHead(more.status ?? 200, {
      ...headers,
      'content-length': Buffer.byteLength(text) + 99,
    })
    res.write(text)
    setTimeout(() => res.socket?.end(), 20)
  } else if (fault === 'reset' || fault === 'stall' || fault === 'cut') {
    res.writeHead(more.status ?? 200, headers)
    await write(exchange, half)
    if (fault === 'stall') return
    await pause(exchange, 20)
    breakOff(exchange)
  } else {
    const lead = fault === 'newlines' ? '\n\n\n' : ''
    res.writeHead(more.status ?? 200, headers)
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

export type Answering = { status?: number; headers?: Record<string, string> }

/** Takes out the member that callers need most. */
function without(answer: Json): Json {
  const gone = ['choices', 'data', 'text', 'id', 'status']
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !gone.includes(name)))
}
