import type { IncomingMessage, ServerResponse } from 'node:http'
import { breakWhole } from './faults/breakage.ts'
import { hangDoor } from './door.ts'
import type { Exchange, Latency } from './exchange.ts'
import { checkModel, openExchange } from './intake.ts'
import type { NextFault } from './intake.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { openJournal } from './journal.ts'
import { Refusal, sendRefusal } from './faults/refusal.ts'
import { findRoute } from './routes.ts'
import type { SimulatedModel } from './shelf.ts'
import { SHELF } from './shelf.ts'
import { faultyModels } from './faults/faulty.ts'
import { openVideoDesk } from './videos.ts'

export type SimulatorOptions = {
  port?: number
  apiKey?: string
  latency?: Partial<Latency>
  /** Lists a model for every fault. A request may name one in any case. */
  faults?: boolean
  /** More models, or others in the place of those with the same id. */
  models?: SimulatedModel[]
  /** Told of every call as it ends: long runs count beyond what the journal keeps. */
  watch?: (entry: JournalEntry) => void
  /** Where the fault `redirect` leads; unless told, to a cloud's metadata. */
  redirectTo?: string
}

export type ModelSimulator = {
  /** The base address for an upstream of type `openrouter`: `http://127.0.0.1:…/api/v1`. */
  url: string
  apiKey: string
  log: Journal
  /** The next calls that fit go wrong. `times: Infinity` until `heal()`. */
  fail(next: NextFault): void
  heal(): void
  /** What is for sale, to be changed by tests: the next sync sees it. */
  models: Map<string, SimulatedModel>
  /** Stops listening: connections are refused. `up()` listens again on the same port. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

const METADATA_URL = 'http://169.254.169.254/latest/meta-data/'
const QUICK: Latency = { firstMs: 2, pieceMs: 1, videoMs: 300 }

/** A model provider on this machine, over real HTTP, in OpenRouter's wire format. */
export async function startModelSimulator(options: SimulatorOptions = {}): Promise<ModelSimulator> {
  const apiKey = options.apiKey ?? 'sim-key'
  const journal = openJournal()
  const desk = openVideoDesk()
  const models = new Map(
    [...SHELF, ...(options.faults ? faultyModels() : []), ...(options.models ?? [])].map(
      (model) => [model.id, model],
    ),
  )
  const latency = { ...QUICK, ...options.latency }
  const planned: NextFault[] = []
  const { redirectTo = METADATA_URL } = options
  const calls = new Map<string, number>()

  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    const port = door.port()
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
    const { authorization } = exchange.req.headers
    if (found.needsKey && authorization !== `Bearer ${apiKey}`) {
      throw new Refusal(401, authorization ? 'User not found.' : 'No auth credentials found')
    }
    if (found.kinds !== undefined) checkModel(exchange, found.kinds)
    const nth = (calls.get(exchange.fault ?? '') ?? 0) + 1
    calls.set(exchange.fault ?? '', nth)
    if (await breakWhole(exchange, nth)) return
    await found.handle(exchange, { models: () => [...models.values()], desk })
  }

  const door = hangDoor(options.port ?? 0, serve)
  await door.open()
  return {
    url: `http://127.0.0.1:${door.port()}/api/v1`,
    apiKey,
    log: journal,
    fail: (next) => void planned.push({ ...next }),
    heal: () => void planned.splice(0),
    models,
    down: door.shut,
    up: door.open,
    close: door.shut,
  }
}
