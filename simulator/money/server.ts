import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PaymentRecords, LogLine, SimPayment } from './payments.ts'
import { openPaymentRecords } from './payments.ts'
import type { Signed, CallbackKeys } from './callbacks.ts'
import { sendCallbacks, signedCallback } from './callbacks.ts'
import type { Plan } from './outcomes.ts'
import { clickpesaReply } from './clickpesa.ts'
import { snippeReply } from './snippe.ts'
import type { Reply, Request, ProviderState } from './wire.ts'

export type MoneySimulatorOptions = {
  port?: number
  snippe: { apiKey: string; webhookSecret: string }
  clickpesa: { clientId: string; apiKey: string; checksumKey: string; webhookUrl?: string }
  delays?: Partial<Delays>
  /** Keeps the payments across restarts, and shares them between processes. */
  file?: string
  /** Goes on with the pending payments of that file, as is the rule. */
  resumePayments?: boolean
}

/** `late` outcomes end after the service has let the payment expire. */
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
    /** A callback exactly as it would be sent, signed with the true keys unless `signing` gives others. */
    callback(
      payment: SimPayment,
      changes?: Parameters<typeof signedCallback>[2] & { signing?: CallbackKeys },
    ): Signed
    /** Ends a pending payment now, without a callback. */
    settle(callerRef: string, status: 'completed' | 'failed'): void
    /** Takes money back from a completed payment, without a callback: all, or what is not `left`. */
    takeBack(callerRef: string, change: { word?: string; left?: number }): void
    /** Refuses every request with this status; `undefined` ends the outage. */
    outage(status: number | undefined): void
    setClickpesaWebhook(url: string): void
  }
}

/** A mobile-money provider that speaks Snippe's and ClickPesa's wire formats on one port. */
export async function startMoneySimulator(options: MoneySimulatorOptions): Promise<MoneySimulator> {
  const { snippe, clickpesa } = options
  const records = openPaymentRecords(options.file)
  const signing = { webhookSecret: snippe.webhookSecret, checksumKey: clickpesa.checksumKey }
  const stop = new AbortController()
  const delays = { ...DELAYS, ...options.delays }
  const carryOut = (payment: SimPayment, plan: Plan) =>
    begin({ records, signing, delays, signal: stop.signal }, payment, plan)
  const state: ProviderState = { records, begin: carryOut, rateLimited: new Set() }
  let clickpesaWebhook = clickpesa.webhookUrl ?? ''
  let outage: number | undefined
  const keys = { ...clickpesa, webhookUrl: () => clickpesaWebhook, tokens: new Set<string>() }

  const answer = async (request: Request): Promise<Reply> => {
    if (outage !== undefined) return { status: outage, json: { message: 'Out of order' } }
    const isSnippe = request.path === '/v1/payments' || request.path.startsWith('/v1/payments/')
    return isSnippe ? snippeReply(state, snippe, request) : clickpesaReply(state, keys, request)
  }
  const server = createServer((request, response) => void serve(answer, request, response))
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done))
  server.unref()
  if (options.resumePayments ?? true) resume(records, carryOut)

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      stop.abort()
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
    control: {
      log: records.log,
      payments: () => records.all(),
      find: (callerRef) =>
        records.byCallerRef('snippe', callerRef) ?? records.byCallerRef('clickpesa', callerRef),
      callback: (payment, changes = {}) =>
        signedCallback(payment, changes.signing ?? signing, changes),
      settle(callerRef, status) {
        const payment = this.find(callerRef)
        if (payment) end(records, payment, status)
      },
      takeBack(callerRef, { word, left }) {
        const payment = this.find(callerRef)
        if (!payment) return
        if (word !== undefined) payment.word = word
        if (left !== undefined) payment.collected = left
        end(records, payment, left === undefined ? 'failed' : 'completed')
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

type Simulation = {
  records: PaymentRecords
  signing: CallbackKeys
  delays: Delays
  signal: AbortSignal
}

/** Carries the plan out on its timers. Resolves when the create request may be answered. */
async function begin(simulation: Simulation, payment: SimPayment, plan: Plan): Promise<void> {
  const { records, delays, signal } = simulation
  const afterMs = delays[`${plan.when}Ms`]
  const finish = async () => {
    if (signal.aborted) return
    if (plan.end !== 'never' && payment.status === 'pending') {
      end(records, payment, plan.end, plan.failure)
    }
    const work = { ...simulation, payment, kinds: plan.callbacks, retryMs: delays.retryMs }
    await sendCallbacks(work)
  }
  if (plan.callbackBeforeAnswer) return finish()
  setTimeout(() => void finish(), Math.max(0, payment.createdAt + afterMs - Date.now())).unref()
}

function end(
  records: PaymentRecords,
  payment: SimPayment,
  status: 'completed' | 'failed',
  failure?: string,
) {
  payment.status = status
  payment.updatedAt = Date.now()
  if (failure !== undefined) payment.failure = failure
  records.save(payment)
  records.note('settled', payment.reference, status)
}

/** Payments that were pending when the last process died continue. */
function resume(records: PaymentRecords, carryOut: ProviderState['begin']): void {
  for (const payment of records.payments.values()) {
    if (payment.status === 'pending') {
      void carryOut(payment, { ...records.plan(payment), callbackBeforeAnswer: false })
    }
  }
}

async function serve(
  answer: (request: Request) => Promise<Reply>,
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
