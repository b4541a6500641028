import type { IncomingMessage, ServerResponse } from 'node:http'
import { applyAnswerFault } from './faults/answer-faults.ts'
import { createListener } from './listener.ts'
import type { Exchange, Latency } from './exchange.ts'
import { checkModel, openExchange } from './request.ts'
import type { PlannedFault } from './request.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { openJournal } from './journal.ts'
import { Refusal, sendRefusal } from './faults/refusal.ts'
import { findRoute } from './routes.ts'
import type { SimulatedModel } from './simulated-models.ts'
import { SIMULATED_MODELS } from './simulated-models.ts'
import { faultyModels } from './faults/faulty-models.ts'
import { openVideoJobs } from './videos.ts'

export type SimulatorOptions = {
  port?: number
  apiKey?: string
  latency?: Partial<Latency>
  /** Lists a model for every fault. A request may name one in any case. */
  faults?: boolean
  /** More models, or others in the place of those with the same id. */
  models?: SimulatedModel[]
  /** Called when a request ends: long runs count more requests than the journal keeps. */
  watch?: (entry: JournalEntry) => void
  /** Where the fault `redirect` leads; by default to a cloud's metadata service. */
  redirectTo?: string
}

export type ModelSimulator = {
  /** The base address for an upstream of type `openrouter` or `anthropic`. */
  url: string
  apiKey: string
  log: Journal
  /** The next calls that fit go wrong. `times: Infinity` until `heal()`. */
  fail(next: PlannedFault): void
  heal(): void
  /** The models on offer. Tests may change them: the next sync sees it. */
  models: Map<string, SimulatedModel>
  /** Stops listening: connections are refused. `up()` listens again on the same port. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

const METADATA_URL = 'http://169.254.169.254/latest/meta-data/'
const DEFAULT_LATENCY: Latency = { firstMs: 2, pieceMs: 1, videoMs: 300 }

/** A model provider on this machine, over real HTTP, in OpenRouter's wire format and Anthropic's. */
export async function startModelSimulator(options: SimulatorOptions = {}): Promise<ModelSimulator> {
  const apiKey = options.apiKey ?? 'sim-key'
  const journal = openJournal()
  const videoJobs = openVideoJobs()
  const models = new Map(
    [...SIMULATED_MODELS, ...(options.faults ? faultyModels() : []), ...(options.models ?? [])].map(
      (model) => [model.id, model],
    ),
  )
  const latency = { ...DEFAULT_LATENCY, ...options.latency }
  const planned: PlannedFault[] = []
  const { redirectTo = METADATA_URL } = options
  const calls = new Map<string, number>()

  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const port = listener.port()
    const exchange = await openExchange(req, res, { models, latency, planned, redirectTo, port })
    journal.add(exchange.entry)
    res.once('close', () => ended(exchange))
    try {
      await answer(exchange)
    } catch (error) {
      const refusal =
        error instanceof Refusal ? error : new Refusal(500, `simulator: ${String(error)}`)
      if (!res.headersSent) sendRefusal(exchange, refusal)
      else res.destroy()
    }
  }

  const ended = ({ entry, res }: Exchange) => {
    entry.status = res.headersSent ? res.statusCode : undefined
    entry.endedAt = Date.now()
    if (entry.outcome === 'running') entry.outcome = res.writableFinished ? 'finished' : 'left'
    options.watch?.(entry)
    journal.changed()
  }

  const answer = async (exchange: Exchange) => {
    const found = findRoute(exchange.entry.method, exchange.url.pathname)
    if (found === undefined) throw new Refusal(404, 'Not Found')
    const { authorization, 'x-api-key': key } = exchange.req.headers
    if (found.needsKey && authorization !== `Bearer ${apiKey}` && key !== apiKey) {
      throw new Refusal(401, authorization ? 'User not found.' : 'No auth credentials found')
    }
    if (found.kinds !== undefined) checkModel(exchange, found.kinds)
    const nth = (calls.get(exchange.fault ?? '') ?? 0) + 1
    calls.set(exchange.fault ?? '', nth)
    if (await applyAnswerFault(exchange, nth)) return
    await found.handle(exchange, { models: () => [...models.values()], videoJobs })
  }

  const listener = createListener(options.port ?? 0, serve)
  await listener.listen()
  return {
    url: `http://127.0.0.1:${listener.port()}/api/v1`,
    apiKey,
    log: journal,
    fail: (next) => void planned.push({ ...next }),
    heal: () => void planned.splice(0),
    models,
    down: listener.close,
    up: listener.listen,
    close: listener.close,
  }
}
