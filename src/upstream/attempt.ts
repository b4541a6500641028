import { fieldsOf } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { AttemptTrace, CallSignal } from '../lib/telemetry/trace.ts'
import { openChatStream } from './chat-stream.ts'
import type {
  AnswerHead,
  ChatCapability,
  ChatRequest,
  HttpCall,
  JsonAnswer,
  JsonCapability,
  ModelTarget,
  Provider,
} from './contract/contract.ts'
import { refusalOf } from './contract/refused-answer.ts'
import { failureOf, StatusError, UpstreamError, classifyError } from './contract/upstream-error.ts'
import { ABSENT } from './contract/usage.ts'
import type { UpstreamHealth } from './health/health.ts'
import { PROVIDERS, type UpstreamConfig } from './upstreams-file.ts'
import { gather, type Endpoint, type HttpSender } from './wire/send.ts'
import type { Source } from './wire/source.ts'
import type { Work } from './work.ts'

/** A configured upstream: where it is, the headers with our key, and its provider. */
export type Connection = Endpoint & { config: UpstreamConfig; provider: Provider }

export type UpstreamParts = {
  connections: ReadonlyMap<string, Connection>
  sender: HttpSender
  health: UpstreamHealth
  log: Log
  nowMs: () => number
  random: () => number
  attempted: Meter['attempted'] | undefined
  /** Upstreams that get no new work. Replaced as a whole. */
  drained: ReadonlySet<string>
}

export function connectionTo(config: UpstreamConfig): Connection {
  const usual = PROVIDERS[config.type]
  const provider = (config.responses && usual.withResponses) || usual
  const url = new URL(config.baseUrl)
  return {
    config,
    provider,
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    headers: config.apiKey === undefined ? {} : provider.credential(config.apiKey),
  }
}

/** What a customer may not read of who is asked. */
export function namesOf({ config, origin }: Connection, { model }: ModelTarget): string[] {
  return [config.name, config.type, new URL(origin).hostname, model]
}

export type UpstreamAttempt = {
  connection: Connection
  target: ModelTarget
  call: HttpCall
  sender: HttpSender
  signal: AbortSignal | undefined
  trace: AttemptTrace | undefined
  /** What a stream throws when it breaks after it was returned. */
  streamFailure(error: unknown): unknown
}

/** Throws a `Failure` if the provider's format cannot express the request. */
export function prepareAttempt<Name extends keyof Work>(
  parts: UpstreamParts,
  work: { name: Name; request: Work[Name]['request']; signal: CallSignal | undefined },
  target: ModelTarget,
  trace: AttemptTrace | undefined,
): UpstreamAttempt {
  const connection = parts.connections.get(target.upstream)!
  const asked = { request: work.request, target }
  const built = OPERATIONS[work.name]
    .capability(connection.provider, asked)!
    .build(work.request, target)
  const call = withTrace(withTimeouts(connection, built), trace)
  const streamFailure = streamFailureOf(parts, { connection, target, call })
  return {
    connection,
    target,
    call,
    sender: parts.sender,
    signal: work.signal,
    trace,
    streamFailure,
  }
}

export function withTimeouts({ config }: Connection, call: HttpCall): HttpCall {
  return { ...call, timeouts: { ...config.timeouts, ...call.timeouts } }
}

/** Providers get only the trace id. */
function withTrace(call: HttpCall, trace: AttemptTrace | undefined): HttpCall {
  if (trace === undefined) return call
  return { ...call, headers: { ...call.headers, traceparent: trace.traceparent } }
}

/** Keeps nothing of the request: a stream may run for long. */
function streamFailureOf(
  { health, log }: UpstreamParts,
  { connection, target, call }: Pick<UpstreamAttempt, 'connection' | 'target' | 'call'>,
): UpstreamAttempt['streamFailure'] {
  const { provider } = connection
  const { gone, overflow, keeps400 } = call
  const names = namesOf(connection, target)
  return (error) => {
    if (!(error instanceof UpstreamError)) return error
    const category = classifyError(error, provider, { gone, overflow, keeps400 }, { names })
    const { upstream, model } = target
    health.failed(target, category)
    log.warn('A stream from an upstream broke off.', { upstream, model, reason: error.message })
    return failureOf(category, error)
  }
}

type Operation<Request, Result> = {
  /** Undefined if the provider cannot do it. With `asked`, the way this request is done. */
  capability(
    provider: Provider,
    asked?: { request: Request; target: ModelTarget },
  ): { build(request: Request, target: ModelTarget): HttpCall } | undefined
  send(attempt: UpstreamAttempt, request: Request): Promise<Result>
}

export const OPERATIONS: {
  [Name in keyof Work]: Operation<Work[Name]['request'], Work[Name]['result']>
} = {
  chat: madeOperation(chatOf),
  chatStream: {
    capability: chatOf,
    send: async ({ connection, target, call, sender, signal, trace, streamFailure }, request) => {
      const { provider } = connection
      const capability = chatOf(provider, { request, target })!
      const { headers, events } = await sender
        .events(connection, call, signal)
        .catch((error: unknown) => {
          throw refusalOfWhole(error, provider, capability.usageIn)
        })
      const reader = capability.reader(request, target)
      const choices = typeof request.body.n === 'number' ? request.body.n : 1
      const { ours } = request
      const id = headers['x-generation-id']
      const refusal = (error: unknown) => refusalOf(error, provider, reader.usage)
      return openChatStream({ events, reader, choices, ours, id, trace, refusal, streamFailure })
    },
  },
  count: jsonOperation((provider) => provider.count),
  embeddings: madeOperation((provider) => provider.embeddings),
  transcription: madeOperation((provider) => provider.transcription),
  image: madeOperation((provider) => provider.image),
  videoStart: jsonOperation((provider) => provider.video?.start),
  videoStatus: jsonOperation((provider) => provider.video?.status),
  speech: {
    capability: (provider) => provider.speech,
    send: async (attempt, request) => {
      const { provider } = attempt.connection
      const { read } = provider.speech!
      try {
        const { format, bytes } = await openBytes(attempt, (head) => read(head, request))
        const audio = await gather(bytes)
        if (audio.length === 0) throw new UpstreamError('garbage', 'empty_audio')
        return { ...format, audio }
      } catch (error) {
        throw refusalOf(error, provider, ABSENT)
      }
    },
  },
  videoContent: {
    capability: (provider) => provider.video?.content,
    send: async (attempt, request) => {
      const read = attempt.connection.provider.video!.content.read
      const { format, bytes } = await openBytes(attempt, (head) => read(head, request))
      return { ...format, bytes: withFailures(bytes, attempt) }
    },
  },
}

/** In the request's own dialect where the provider speaks it, else as a chat. */
function chatOf(
  provider: Provider,
  asked?: { request: ChatRequest; target: ModelTarget },
): ChatCapability | undefined {
  const native = asked?.request.native
  return (native && provider.natively?.(native.dialect, asked.target)) ?? provider.chat
}

type CapabilityOf<Request, Result> = (
  provider: Provider,
  asked?: { request: Request; target: ModelTarget },
) => JsonCapability<Request, Result> | undefined

function jsonOperation<Request, Result>(
  capability: CapabilityOf<Request, Result>,
): Operation<Request, Result> {
  return {
    capability,
    send: async ({ connection, target, call, sender, signal }, request) => {
      const answer = await sender.json(connection, call, signal)
      return capability(connection.provider, { request, target })!.read(answer, request, target)
    },
  }
}

/** Billed as soon as it is answered, whatever we can do with it. */
function madeOperation<Request, Result>(
  capability: CapabilityOf<Request, Result>,
): Operation<Request, Result> {
  return {
    capability,
    send: async ({ connection, target, call, sender, signal }, request) => {
      const { provider } = connection
      const { read, usageIn = provider.usageIn } = capability(provider, { request, target })!
      let answer: JsonAnswer | undefined
      try {
        answer = await sender.json(connection, call, signal)
        return read(answer, request, target)
      } catch (error) {
        throw refusalOf(error, provider, usageIn(answer?.json))
      }
    },
  }
}

/** Some give a whole answer where a stream was asked for. */
function refusalOfWhole(error: unknown, provider: Provider, usageIn = provider.usageIn): unknown {
  if (!(error instanceof StatusError) || error.status !== 200) {
    return refusalOf(error, provider, ABSENT)
  }
  const whole = fieldsOf(error.body).error ? error : new UpstreamError('garbage', 'whole')
  return refusalOf(whole, provider, usageIn(error.body))
}

async function openBytes<Format>(
  { connection, call, sender, signal }: UpstreamAttempt,
  read: (head: AnswerHead) => Format,
): Promise<{ format: Format; bytes: Source<Buffer> }> {
  const { bytes, ...head } = await sender.bytes(connection, call, signal)
  try {
    return { format: read(head), bytes }
  } catch (error) {
    bytes.cancel()
    throw error
  }
}

/** Turns UpstreamErrors of returned bytes into failures. */
function withFailures(bytes: Source<Buffer>, { streamFailure }: UpstreamAttempt): Source<Buffer> {
  return {
    get ready() {
      return bytes.ready
    },
    more: () => bytes.more(),
    take: () => {
      try {
        return bytes.take()
      } catch (error) {
        throw streamFailure(error)
      }
    },
    rest: () => bytes.rest(),
    cancel: () => bytes.cancel(),
  }
}
