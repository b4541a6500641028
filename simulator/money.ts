import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Book, LogLine, SimPayment } from './money-book.ts'
import { openBook } from './money-book.ts'
import type { Signed, Signing } from './money-callbacks.ts'
import { sendCallbacks, signedCallback } from './money-callbacks.ts'
import type { Plan } from './money-outcomes.ts'
import { clickpesaReply } from './money-clickpesa.ts'
import { snippeReply } from './money-snippe.ts'
import type { Reply, Request, Wire } from './money-wire.ts'

export type MoneySimulatorOptions = {
  port?: number
  snippe: { apiKey: string; webhookSecret: string }
  clickpesa: { clientId: string; apiKey: string; checksumKey: string; webhookUrl?: string }
  delays?: Partial<Delays>
  /** Keeps the payments across restarts, and shares them between processes. */
  file?: string
}

/** `late` outcomes end after the payment has expired at our side. */
export type Delays = { normalMs: number; fastMs: number; lateMs: number; retryMs: number }

const DELAYS: Delays = { normalMs: 3_000, fastMs: 1_000, lateMs: 35 * 60_000, retryMs: 1_000 }

export type MoneySimulator = {
  url: string
  close(): Promise<void>
  control: {
    log: LogLine[]
    payments(): SimPayment[]
    /** By the caller's reference. */
    find(callerRef: string): SimPayment | undefined
    /** A callback exactly as it would be sent, signed by the true keys unless told otherwise. */
    callback(
      payment: SimPayment,
      changes?: Parameters<typeof signedCallback>[2] & { signing?: Signing },
    ): Signed
    /** Ends a pending payment now, without a callback. */
    settle(callerRef: string, status: 'completed' | 'failed'): void
    /** Every request is refused with this status until it is undefined again. */
    outage(status: number | undefined): void
    setClickpesaWebhook(url: string): void
  }
}

/** A mobile-money provider that speaks Snippe's and ClickPesa's wire on one port. */
export async function startMoneySimulator(options: MoneySimulatorOptions): Promise<MoneySimulator> {
  const { snippe, clickpesa } = options
  const book = openBook(options.file)
  const signing = { webhookSecret: snippe.webhookSecret, checksumKey: clickpesa.checksumKey }
  const stop = new AbortController()
  const delays = { ...DELAYS, ...options.delays }
  const play = (payment: SimPayment, plan: Plan) =>
    begin({ book, signing, delays, signal: stop.signal }, payment, plan)
  const wire: Wire = { book, begin: play, limited: new Set() }
  let clickpesaWebhook = clickpesa.webhookUrl ?? ''
  let outage: number | undefined
  const keys = { ...clickpesa, webhookUrl: () => clickpesaWebhook, tokens: new Set<string>() }

  const answer = async (ask: Request): Promise<Reply> => {
    if (outage !== undefined) return { status: outage, json: { message: 'Out of order' } }
    const snippeAsked = ask.path === '/v1/payments' || ask.path.startsWith('/v1/payments/')
    return snippeAsked ? snippeReply(wire, snippe, ask) : clickpesaReply(wire, keys, ask)
  }
  const server = createServer((request, response) => void serve(answer, request, response))
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done))
  server.unref()
  resume(book, play)

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      stop.abort()
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
    control: {
      log: book.log,
      payments: () => book.all(),
      find: (callerRef) =>
        book.byCallerRef('snippe', callerRef) ?? book.byCallerRef('clickpesa', callerRef),
      callback: (payment, changes = {}) =>
        signedCallback(payment, changes.signing ?? signing, changes),
      settle(callerRef, status) {
        const payment = this.find(callerRef)
        if (payment) end(book, payment, status)
      },
      outage: (status) => {
        outage = status
      },
      setClickpesaWebhook: (url) => {
        clickpesaWebhook = url
      },
    },
  }
}

type Stage = { book: Book; signing: Signing; delays: Delays; signal: AbortSignal }

/** Plays the plan by the clock. Resolves when the create may be answered. */
async function begin(stage: Stage, payment: SimPayment, plan: Plan): Promise<void> {
  const { book, delays, signal } = stage
  const afterMs = delays[`${plan.when}Ms`]
  const finish = async () => {
    if (signal.aborted) return
    if (plan.end !== 'never' && payment.status === 'pending') {
      end(book, payment, plan.end, plan.failure)
    }
    const work = { ...stage, payment, kinds: plan.callbacks, retryMs: delays.retryMs }
    await sendCallbacks(work)
  }
  if (plan.callbackBeforeAnswer) return finish()
  setTimeout(() => void finish(), Math.max(0, payment.createdAt + afterMs - Date.now())).unref()
}

function end(book: Book, payment: SimPayment, status: 'completed' | 'failed', failure?: string) {
  payment.status = status
  payment.updatedAt = Date.now()
  if (failure !== undefined) payment.failure = failure
  book.save(payment)
  book.note('settled', payment.reference, status)
}

/** Payments that were waiting when the last process died go on from where they were. */
function resume(book: Book, play: Wire['begin']): void {
  for (const payment of book.payments.values()) {
    if (payment.status === 'pending') {
      void play(payment, { ...book.plan(payment), callbackBeforeAnswer: false })
    }
  }
}

async function serve(
  answer: (ask: Request) => Promise<Reply>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const url = new URL(request.url ?? '/', 'http://simulator')
  const reply = await answer({
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: bodyOf(Buffer.concat(chunks).toString('utf8')),
  })
  if (reply === 'hang') return // the socket stays open until the caller gives up
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
  response.end(JSON.stringify(reply.json))
}

function bodyOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
