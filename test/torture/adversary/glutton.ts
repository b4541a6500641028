import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerWhole, orderOf, sendJson, streamAnswer } from './greedy-answer.ts'
import {
  GREEDY_MODELS,
  PICTURE,
  quickRecords,
  SLOW_CLOCKS,
  slowRecords,
  VECTORS,
  worth,
  worthOfUsd,
} from './models.ts'
import { promptTokens } from './prompt-tokens.ts'
import { type Meter, type Tally } from './tally.ts'

export type Glutton = {
  url: string
  /** Its entries for `UPSTREAMS_FILE`. */
  upstreams: unknown[]
  /**
   * When it has said all that it was asked for. An answer that its caller left may be finished, which
   * takes three minutes with four choices.
   */
  atRest(): Promise<void>
  close(): Promise<void>
}

type Body = Record<string, unknown>

/**
 * A model provider as thieves wish for it: it says as much as it is allowed to, in text that has a
 * token in every byte, reports its true usage, and writes down what each account has cost.
 */
export async function startGlutton(tally: Tally): Promise<Glutton> {
  const underway = new Set<Promise<void>>()
  const server = createServer((req, res) => {
    const serving = serve(tally, req, res).finally(() => underway.delete(serving))
    underway.add(serving)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const common = { type: 'openrouter', base_url: url, sync: false }
  return {
    url,
    upstreams: [
      { ...common, name: 'mlafi', models: quickRecords() },
      { ...common, name: 'mlafi-pole', models: slowRecords(), timeouts: SLOW_CLOCKS },
    ],
    async atRest() {
      await Promise.allSettled(underway)
    },
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

async function serve(tally: Tally, req: IncomingMessage, res: ServerResponse): Promise<void> {
  res.on('error', () => {})
  const raw = await readAll(req)
  if (raw === undefined) return
  const route = ROUTES[new URL(req.url ?? '/', 'http://mlafi').pathname]
  if (route === undefined) return sendJson(res, {})
  const body = JSON.parse(raw.toString()) as Body
  await route(body, tally.open(raw), res)
}

const ROUTES: Record<string, (body: Body, meter: Meter, res: ServerResponse) => unknown> = {
  '/v1/chat/completions': chat,
  '/v1/embeddings': embed,
  '/v1/images': draw,
}

async function chat(body: Body, meter: Meter, res: ServerResponse): Promise<void> {
  const model = GREEDY_MODELS.find(({ id }) => id === body.model)!
  const order = orderOf(model, body)
  meter.add(worth(order.promptTokens, model.promptUsd))
  await (body.stream === true ? streamAnswer(order, meter, res) : answerWhole(order, meter, res))
}

function embed(body: Body, meter: Meter, res: ServerResponse): void {
  const inputs = [body.input].flat()
  const tokens = promptTokens(inputs)
  meter.add(worth(tokens, VECTORS.promptUsd))
  const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding: [0.1, 0.2] }))
  sendJson(res, { object: 'list', data, usage: { prompt_tokens: tokens, total_tokens: tokens } })
}

const PICTURE_BYTES = 13 * 1024 * 1024

function draw(body: Body, meter: Meter, res: ServerResponse): void {
  const count = typeof body.n === 'number' ? body.n : 1
  meter.add(worthOfUsd(PICTURE.usd * count))
  const b64 = Buffer.alloc(PICTURE_BYTES).toString('base64')
  const data = Array.from({ length: count }, () => ({ b64_json: b64, media_type: 'image/png' }))
  sendJson(res, { data, usage: { cost: PICTURE.usd * count } })
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
