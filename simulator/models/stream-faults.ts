import type { Exchange } from './exchange.ts'
import { breakOff, pause, write } from './exchange.ts'
import { splitFault } from './faults/faults.ts'

export type StreamFault = (exchange: Exchange, frames: string[]) => Promise<void>

/** How a format writes what the faults below send. */
type Format = {
  /** A piece of text. */
  piece(text: string): string
  /** What must come before the first piece. */
  head(frames: string[]): string[]
  /** What ends an answer. */
  tail(frames: string[]): string[]
}

/** The ways in which a stream goes wrong, whatever its format. */
export function streamFaults({ piece, head, tail }: Format): Record<string, StreamFault> {
  return {
    stall: sendFirstHalf,
    reset: async (exchange, frames) => {
      await sendFirstHalf(exchange, frames)
      await pause(exchange, 20)
      breakOff(exchange)
    },
    cut: async (exchange, frames) => {
      await sendFirstHalf(exchange, frames)
      exchange.res.end(frames.at(-1)!.slice(0, 40))
    },
    'no-done': async (exchange, frames) => {
      await sendFirstHalf(exchange, frames)
      exchange.res.end()
    },
    'short-length': async (exchange, frames) => {
      await sendFirstHalf(exchange, frames)
      exchange.entry.outcome = 'broken'
      exchange.res.socket?.end()
    },
    endless: async (exchange, frames) => {
      const every = splitFault(exchange.fault!).amount ?? 10_000
      for (const frame of head(frames)) await write(exchange, frame)
      do await write(exchange, piece('neno '))
      while (await pause(exchange, every))
    },
    comments: async (exchange) => {
      const every = splitFault(exchange.fault!).amount ?? 100
      do await write(exchange, ': OPENROUTER PROCESSING\n\n')
      while (await pause(exchange, every))
    },
    fast: async (exchange, frames) => {
      const megabytes = splitFault(exchange.fault!).amount ?? 64
      const large = piece('maji '.repeat(3_200))
      let stays = true
      for (const frame of head(frames)) await write(exchange, frame)
      for (let sent = 0; sent < megabytes << 20 && stays; sent += large.length) {
        stays = await write(exchange, large)
      }
      exchange.res.end(tail(frames).join(''))
    },
  }
}

/** Enough of the frames that a part of the text is among them. */
export async function sendFirstHalf(exchange: Exchange, frames: string[]): Promise<void> {
  for (const frame of frames.slice(0, Math.max(2, frames.length >> 1))) {
    await write(exchange, frame)
    await pause(exchange, exchange.latency.pieceMs)
  }
}
