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

export const generationId = (fault?: string): string =>
  BAD_IDS[fault ?? ''] ?? `gen-${Math.floor(Date.now() / 1000)}-${randomBytes(10).toString('hex')}`

/** Ids that can be in a body, and in no header. */
const BAD_IDS: Record<string, string> = {
  'id-break': 'gen-1\r\nset-cookie: stolen=1',
  'id-nul': 'gen-1\0',
  'id-tick': 'gen-1 ✓',
  'id-long': `gen-${'9'.repeat(60_000)}`,
}

export const generationHeader = (id: string): { headers: Record<string, string> } => ({
  headers: /^[\x21-\x7e]{1,200}$/.test(id) ? { 'x-generation-id': id } : {},
})

/** Removes the members that a caller cannot do without. */
function withoutEssentials(answer: Json): Json {
  const essential = ['choices', 'data', 'text', 'id', 'status', 'content', 'output']
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !essential.includes(name)))
}
