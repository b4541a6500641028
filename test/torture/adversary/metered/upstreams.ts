import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sendJson } from '../greedy-answer.ts'
import { type Tally } from '../tally.ts'
import { answerChat } from './chat.ts'
import { embedBatch, generate } from './gemini.ts'
import { embed, speak, transcribe } from './media.ts'
import { answerMessage } from './messages.ts'
import { meteredModel, METERED_MODELS, recordOf, type MeteredType } from './models.ts'
import type { Body, Order } from './order.ts'
import { answerResponse } from './responses.ts'

export type Metered = {
  url: string
  /** Its entries for `UPSTREAMS_FILE`. */
  upstreams: unknown[]
  close(): Promise<void>
}

/**
 * Model providers in each format, which bill at list price what they received and made: files by
 * what is in them, all iterations, every search, and answers that nobody can use.
 */
export async function startMetered(tally: Tally): Promise<Metered> {
  const server = createServer((req, res) => {
    res.on('error', () => {})
    serve(tally, req, res).catch((error: unknown) => {
      res.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: origin,
    upstreams: Object.entries(METERED_MODELS).map(([type, models]) => ({
      name: `mita-${type}`,
      type,
      base_url: `${origin}/${type}`,
      sync: false,
      models: models.map(recordOf),
      ...(type === 'openai' ? { responses: true } : {}),
    })),
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

type Answer = (order: Order) => void | Promise<void>

const ROUTES: Record<MeteredType, Record<string, Answer>> = {
  openai: {
    'chat/completions': answerChat,
    responses: answerResponse,
    'audio/transcriptions': transcribe,
    'audio/speech': speak,
    embeddings: embed,
  },
  anthropic: { messages: answerMessage },
  gemini: {
    generateContent: generate,
    streamGenerateContent: generate,
    batchEmbedContents: embedBatch,
  },
  openrouter: { 'chat/completions': answerChat },
}

async function serve(tally: Tally, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const raw = await readAll(req)
  if (raw === undefined) return
  const { pathname } = new URL(req.url ?? '/', 'http://mita')
  const [, type = '', ...rest] = decodeURIComponent(pathname).split('/')
  const path = rest.join('/')
  const [named, verb = path] = path.startsWith('models/') ? path.slice(7).split(':') : []
  const answer = ROUTES[type as MeteredType][verb]
  if (answer === undefined) return sendJson(res, {})
  const isJson = String(req.headers['content-type']).includes('json')
  const body = isJson ? (JSON.parse(raw.toString()) as Body) : {}
  const model = meteredModel(
    named ?? body.model ?? /name="model"\r\n\r\n(\S+)/.exec(headOf(raw))?.[1],
  )
  const meter = tally.open(raw)
  await answer({ model, body, raw, headers: req.headers, meter, res, verb })
}

function headOf(raw: Buffer): string {
  return raw.toString('latin1', 0, 2_000)
}

async function readAll(req: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of req) pieces.push(piece as Buffer)
  } catch {
    return undefined // The gateway took the call back before it was sent.
  }
  return Buffer.concat(pieces)
}
