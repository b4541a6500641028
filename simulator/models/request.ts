import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange, Json, Latency } from './exchange.ts'
import { faultOf } from './faults/faults.ts'
import { faultyModel } from './faults/faulty-models.ts'
import { Refusal } from './faults/refusal.ts'
import { findRoute } from './routes.ts'
import type { SimulatedModel } from './simulated-models.ts'

/** A fault for the next `times` requests that fit. */
export type PlannedFault = { fault: string; times?: number; route?: string; model?: string }

export type RequestContext = {
  models: Map<string, SimulatedModel>
  latency: Latency
  planned: PlannedFault[]
  redirectTo: string
  port: number
}

let count = 0

/** Reads a request to its end: its route, its model and the fault it asks for. */
export async function openExchange(
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
): Promise<Exchange> {
  const url = new URL(req.url ?? '/', `http://127.0.0.1:${context.port}`)
  const method = req.method ?? 'GET'
  const raw = await readAll(req)
  const body = parse(raw)
  const found = findRoute(method, url.pathname)
  const route = found?.name ?? url.pathname
  const modelId = typeof body.model === 'string' ? body.model : modelField(req, raw)
  const fault =
    header(req, 'x-sim-fault') ??
    plannedFault(context.planned, route, modelId) ??
    faultOf(modelId ?? '')
  return {
    req,
    res,
    url,
    origin: url.origin,
    id: found?.id ?? '',
    raw,
    body,
    model: modelId === undefined ? undefined : findModel(context.models, modelId),
    fault,
    latency: context.latency,
    redirectTo: context.redirectTo,
    entry: {
      id: ++count,
      at: Date.now(),
      method,
      route,
      path: url.pathname + url.search,
      model: modelId,
      idempotencyKey: header(req, 'idempotency-key') ?? header(req, 'x-idempotency-key'),
      headers: req.headers,
      body: raw.length > 1 << 20 ? undefined : body,
      fault,
      outcome: 'running',
      status: undefined,
      endedAt: undefined,
      cost: undefined,
    },
  }
}

export function checkModel({ model, entry }: Exchange, kinds: readonly string[]): void {
  if (entry.model === undefined) throw new Refusal(400, 'No models provided')
  if (model === undefined) throw new Refusal(400, `${entry.model} is not a valid model ID`)
  if (!model.outputs.some((output) => kinds.includes(output))) {
    throw new Refusal(404, `No endpoints found for ${entry.model}`)
  }
}

function plannedFault(planned: PlannedFault[], route: string, model: string | undefined) {
  const at = planned.findIndex(
    (next) =>
      (next.route === undefined || next.route === route) &&
      (next.model === undefined || next.model === model),
  )
  const next = planned[at]
  if (next === undefined) return undefined
  next.times = (next.times ?? 1) - 1
  if (next.times <= 0) planned.splice(at, 1)
  return next.fault
}

function findModel(models: Map<string, SimulatedModel>, id: string): SimulatedModel | undefined {
  return models.get(id) ?? (faultOf(id) === undefined ? undefined : faultyModel(id))
}

async function readAll(req: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  // A caller who leaves while sending ends the reading; the answer then goes nowhere.
  try {
    for await (const piece of req) pieces.push(piece as Buffer)
  } catch {}
  return Buffer.concat(pieces)
}

function parse(raw: Buffer): Json {
  if (raw[0] !== 0x7b) return {}
  try {
    return JSON.parse(raw.toString()) as Json
  } catch {
    return {}
  }
}

/** The `model` field of a multipart body, found without reading the file. */
function modelField(req: IncomingMessage, raw: Buffer): string | undefined {
  if (!String(req.headers['content-type']).startsWith('multipart/')) return undefined
  return /name="model"\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)\r\n/.exec(raw.toString('latin1'))?.[1]
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
