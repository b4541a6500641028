import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JournalEntry } from './journal.ts'
import type { SimulatedModel } from './simulated-models.ts'

export type Json = Record<string, unknown>

export type Latency = {
  /** Before the first byte of an answer. */
  firstMs: number
  /** Between two pieces of a stream. */
  pieceMs: number
  /** From a video's submission to its completion. */
  videoMs: number
}

/** One request and its answer, as the handlers see it. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  url: URL
  origin: string
  /** Ids in the path: the job of `/videos/{id}`, the model of `/images/models/{id}/endpoints`. */
  id: string
  raw: Buffer
  body: Json
  model: SimulatedModel | undefined
  fault: string | undefined
  latency: Latency
  /** Where the fault `redirect` leads. */
  redirectTo: string
  entry: JournalEntry
}

/** False when the reader has left meanwhile. */
export function pause(exchange: Exchange, ms: number): Promise<boolean> {
  const { res } = exchange
  if (res.destroyed) return Promise.resolve(false)
  if (ms <= 0) return Promise.resolve(true)
  return new Promise((done) => {
    const end = (stays: boolean) => {
      clearTimeout(timer)
      res.off('close', left)
      done(stays)
    }
    const left = () => end(false)
    const timer = setTimeout(end, ms, true)
    res.once('close', left)
  })
}

/** Writes with back-pressure. False when the reader has left. */
export async function write(exchange: Exchange, piece: string | Buffer): Promise<boolean> {
  const { res } = exchange
  if (res.destroyed) return false
  if (res.write(piece)) return true
  return new Promise((done) => {
    const end = (stays: boolean) => {
      res.off('drain', drained)
      res.off('close', left)
      done(stays)
    }
    const drained = () => end(true)
    const left = () => end(false)
    res.once('drain', drained)
    res.once('close', left)
  })
}

/** Cuts the connection as a crash would: with a reset, not a polite end. */
export function breakOff(exchange: Exchange): void {
  exchange.entry.outcome = 'broken'
  exchange.res.socket?.resetAndDestroy()
}
