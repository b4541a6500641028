import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import {
  chunk,
  LAST_CHUNK,
  response,
  sse,
  SSE_HEAD,
  wireServer,
  type WireRequest,
} from '../../upstream/wire-server.ts'

export type ScriptedStream = ReturnType<typeof scripted>

const WHOLE = JSON.stringify({
  id: 'gen-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Nzuri' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
})

/** 0.03 credits for a token of the answer, so for three bytes of it. */
const PRICES = { prompt: '0.000001', completion: '0.00001' }

const PATIENCE_MS = 60_000

/** A stream whose prompt says so is not given to the test. */
export const AT_ONCE = 'Jibu mara moja.'

/** The whole answer to a prompt that says so comes when the test tells it to. */
export const LATER = 'Jibu baadaye.'

/** An upstream that streams what a test tells it to, when it tells it to; whole answers come at once. */
export async function scriptedModel() {
  const arrived: ScriptedStream[] = []
  const waiting: ((stream: ScriptedStream) => void)[] = []
  const server = await wireServer((socket, request) => {
    if (!/"stream":true|alt=sse/.test(request.body + request.path)) {
      if (request.body.includes(LATER)) return give(scripted(socket, request))
      socket.write(response(WHOLE))
      return
    }
    socket.write(SSE_HEAD)
    const stream = scripted(socket, request)
    if (request.body.includes(AT_ONCE)) return stream.answerAtOnce()
    give(stream)
  })
  function give(stream: ScriptedStream): void {
    const take = waiting.shift()
    if (take === undefined) arrived.push(stream)
    else take(stream)
  }
  return {
    /** Members of the upstream's entry. */
    entry: (type: string, timeouts: Record<string, number> = {}) => ({
      type,
      base_url: server.url,
      sync: false,
      models: [{ id: 'lab/mto', upstream_id: 'mto', pricing: PRICES, context_length: 100_000 }],
      timeouts,
    }),
    /** The next stream that is asked for; fails if none is, so that a test which waits for it ends. */
    next: (): Promise<ScriptedStream> => {
      const stream = arrived.shift()
      if (stream !== undefined) return Promise.resolve(stream)
      return new Promise((done, fail) => {
        const none = setTimeout(() => {
          waiting.splice(waiting.indexOf(take), 1)
          fail(new Error(`No stream was asked for within ${PATIENCE_MS} ms.`))
        }, PATIENCE_MS)
        function take(found: ScriptedStream) {
          clearTimeout(none)
          done(found)
        }
        waiting.push(take)
      })
    },
    close: server.close,
  }
}

function scripted(socket: Socket, request: WireRequest) {
  const seen = { closed: false }
  const closed = new Promise<void>((done) =>
    socket.once('close', () => {
      seen.closed = true
      done()
    }),
  )
  return {
    request,
    /** As one event each. */
    send: (...events: object[]) => void socket.write(chunk(sse(...events.map(textOf)))),
    answerWhole: () => void socket.write(response(WHOLE)),
    done: () => void socket.write(Buffer.concat([chunk(sse('[DONE]')), Buffer.from(LAST_CHUNK)])),
    end: () => void socket.write(LAST_CHUNK),
    answerAtOnce(): void {
      this.send(piece('Nzuri'), finish(), usage(2))
      this.done()
    },
    reset: () => void socket.resetAndDestroy(),
    /** Sends the same event until nothing more is taken, and `enough` says so. */
    async flood(event: object, enough: () => boolean): Promise<void> {
      const bytes = chunk(sse(...Array.from({ length: 64 }, () => textOf(event))))
      while (!enough() && !seen.closed) {
        if (!socket.writableNeedDrain) socket.write(bytes)
        await pause(1)
      }
    },
    /** The service has closed the connection. */
    closed,
    seen,
  }
}

const textOf = (event: object) => JSON.stringify(event)

/** OpenAI's chunks. */
export const piece = (content: string, index = 0) => ({
  id: 'gen-1',
  choices: [{ index, delta: { content }, finish_reason: null }],
})
export const finish = (index = 0, delta: object = {}) => ({
  id: 'gen-1',
  choices: [{ index, delta, finish_reason: 'stop' }],
})
export const usage = (completionTokens: number) => ({
  id: 'gen-1',
  choices: [],
  usage: {
    prompt_tokens: 3,
    completion_tokens: completionTokens,
    total_tokens: 3 + completionTokens,
  },
})
