import { fieldsOf, sift, type Fields, type Rule } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { CallSignal } from '../lib/telemetry/trace.ts'
import { openChatStream } from './chat-stream.ts'
import type {
  AnswerHead,
  ChatCapability,
  ChatRequest,
  HttpCall,
  JsonAnswer,
  JsonCapability,
  ModelTarget,
  OfCallers,
  Provider,
} from './contract/contract.ts'
import { isLeftOut, metricName } from './contract/left-out.ts'
import type { Passing } from './contract/passing.ts'
import { refusalOf } from './contract/refused-answer.ts'
import { brokenOff, StatusError, UpstreamError, classifyError } from './contract/upstream-error.ts'
import { ABSENT } from './contract/usage.ts'
import type { Followed } from './followed.ts'
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
  meter: Pick<Meter, 'attempted' | 'ended' | 'leftOut'> | undefined
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
  /** The caller's fields that do not pass. */
  leftOut: ReadonlySet<string>
  sender: HttpSender
  signal: AbortSignal | undefined
  followed: Followed
  /** What a stream throws when it breaks after it was returned. */
  streamFailure(error: unknown): unknown
}

/** Throws a `Failure` if the provider's format cannot express the request. */
export function prepareAttempt<Name extends keyof Work>(
  parts: UpstreamParts,
  work: { name: Name; request: Work[Name]['request']; signal: CallSignal | undefined },
  target: ModelTarget,
  followed: Followed,
): UpstreamAttempt {
  const connection = parts.connections.get(target.upstream)!
  const { provider } = connection
  const operation = OPERATIONS[work.name]
  const asked = { request: work.request, target }
  const capability = operation.capability(provider, asked)!
  const leftOut = new Set<string>()
  const sieve = sieveOf(capability.passing, connection, target, leftOut)
  const built = capability.build(operation.sifted(asked, sieve, provider), target)
  for (const name of leftOut) parts.meter?.leftOut(metricName(name, capability.passing))
  const call = withTrace(withTimeouts(connection, built), followed)
  const streamFailure = streamFailureOf(parts, { connection, target, call })
  return {
    connection,
    target,
    call,
    leftOut,
    sender: parts.sender,
    signal: work.signal,
    followed,
    streamFailure,
  }
}

/** Puts a caller's fields through the table of what passes. */
type Sieve = {
  pass(fields: Fields): Fields
  /** Names that were left out before. */
  note(names: readonly string[] | undefined): void
}

function sieveOf(
  passing: Passing | undefined,
  { config }: Connection,
  { supportedParameters = [] }: ModelTarget,
  leftOut: Set<string>,
): Sieve {
  const { fields, ifListed, rest } = passing ?? NOTHING_PASSES
  const ruleOf = (name: string): Rule | undefined => {
    const rule = Object.hasOwn(fields, name) ? fields[name] : rest
    if (rule === 'ours') return rule
    if (ifListed === undefined && config.passFields?.has(name)) return 'any'
    if (rule !== undefined || !supportedParameters.includes(name)) return rule
    return (ifListed?.has(name) ?? !isLeftOut(name)) ? 'plain' : undefined
  }
  return {
    pass: (given) => sift(given, ruleOf, leftOut),
    note: (names = []) => names.forEach((name) => leftOut.add(name)),
  }
}

const NOTHING_PASSES: Passing = { fields: {}, ifListed: new Set() }

export function withTimeouts({ config }: Connection, call: HttpCall): HttpCall {
  return { ...call, timeouts: { ...config.timeouts, ...call.timeouts } }
}

/** Providers get only the trace id. */
function withTrace(call: HttpCall, { traceparent }: Followed): HttpCall {
  return traceparent === undefined ? call : { ...call, headers: { ...call.headers, traceparent } }
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
    return brokenOff(category, error)
  }
}

type Asked<Request> = { request: Request; target: ModelTarget }
type Able<Request> = Partial<OfCallers> & {
  build(request: Request, target: ModelTarget): HttpCall
}

type Operation<Request, Result> = {
  /** Undefined if the provider cannot do it. With `asked`, the way this request is done. */
  capability(provider: Provider, asked?: Asked<Request>): Able<Request> | undefined
  /** The request with only those of the caller's fields that pass. */
  sifted(asked: Asked<Request>, sieve: Sieve, provider: Provider): Request
  send(attempt: UpstreamAttempt, request: Request): Promise<Result>
}

export const OPERATIONS: {
  [Name in keyof Work]: Operation<Work[Name]['request'], Work[Name]['result']>
} = {
  chat: madeOperation(chatOf, siftedChat),
  chatStream: {
    capability: chatOf,
    sifted: siftedChat,
    send: async (
      { connection, target, call, sender, signal, followed, streamFailure },
      request,
    ) => {
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
      return openChatStream({ events, reader, choices, ours, id, followed, refusal, streamFailure })
    },
  },
  count: jsonOperation((provider) => provider.count, siftedNative),
  embeddings: madeOperation((provider) => provider.embeddings, siftedBody),
  transcription: madeOperation((provider) => provider.transcription, siftedExtra),
  image: madeOperation((provider) => provider.image, siftedExtra),
  videoStart: jsonOperation((provider) => provider.video?.start, siftedExtra),
  videoStatus: jsonOperation((provider) => provider.video?.status, asIs),
  speech: {
    capability: (provider) => provider.speech,
    sifted: siftedExtra,
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
    sifted: asIs,
    send: async (attempt, request) => {
      const read = attempt.connection.provider.video!.content.read
      const { format, bytes } = await openBytes(attempt, (head) => read(head, request))
      return { ...format, bytes: withFailures(bytes, attempt) }
    },
  },
}

/** In the request's own dialect where the provider speaks it, else as a chat. */
function chatOf(provider: Provider, asked?: Asked<ChatRequest>): ChatCapability | undefined {
  const native = asked?.request.native
  return (native && provider.natively?.(native.dialect, asked.target)) ?? provider.chat
}

function siftedChat(asked: Asked<ChatRequest>, sieve: Sieve, provider: Provider): ChatRequest {
  const capability = chatOf(provider, asked)!
  const isChat = capability === provider.chat
  const field = capability.session ?? (isChat ? listedField(asked) : undefined)
  const ours = ownFields(field, asked, provider)
  if (!isChat) return siftedNative(asked, sieve, ours)
  sieve.note(asked.request.unread)
  const sifted = siftedBody(asked, sieve)
  return ours === undefined ? sifted : { ...sifted, body: { ...sifted.body, ...ours } }
}

/** What is said of a request beside the caller's fields. */
function ownFields(
  field: ChatCapability['session'],
  { request: { session, keepsNothing } }: Asked<ChatRequest>,
  provider: Provider,
): Fields | undefined {
  const named = field === undefined || session === undefined ? undefined : { [field]: session }
  return keepsNothing ? { ...named, ...provider.keepsNothing } : named
}

/** Few servers of OpenAI's format know its field, and some refuse what they do not know. */
function listedField({ target }: Asked<ChatRequest>): ChatCapability['session'] {
  return target.supportedParameters?.includes('prompt_cache_key') ? 'prompt_cache_key' : undefined
}

function siftedNative({ request }: Asked<ChatRequest>, sieve: Sieve, ours?: Fields): ChatRequest {
  const { native } = request
  if (native === undefined) return request
  sieve.note(native.leftOut)
  return { ...request, native: { ...native, body: { ...sieve.pass(native.body), ...ours } } }
}

function siftedBody<Request extends { body: Fields }>(
  { request }: Asked<Request>,
  { pass }: Sieve,
): Request {
  return { ...request, body: pass(request.body) }
}

function siftedExtra<Request extends { extra?: Fields | undefined }>(
  { request }: Asked<Request>,
  { pass }: Sieve,
): Request {
  return { ...request, extra: pass(request.extra ?? {}) }
}

/** It has no field of a caller. */
function asIs<Request>({ request }: Asked<Request>): Request {
  return request
}

type CapabilityOf<Request, Result> = (
  provider: Provider,
  asked?: Asked<Request>,
) => (Partial<OfCallers> & JsonCapability<Request, Result>) | undefined

function jsonOperation<Request, Result>(
  capability: CapabilityOf<Request, Result>,
  sifted: Operation<Request, Result>['sifted'],
): Operation<Request, Result> {
  return {
    capability,
    sifted,
    send: async ({ connection, target, call, sender, signal }, request) => {
      const answer = await sender.json(connection, call, signal)
      return capability(connection.provider, { request, target })!.read(answer, request, target)
    },
  }
}

/** Billed as soon as it is answered, whatever we can do with it. */
function madeOperation<Request, Result>(
  capability: CapabilityOf<Request, Result>,
  sifted: Operation<Request, Result>['sifted'],
): Operation<Request, Result> {
  return {
    capability,
    sifted,
    send: async ({ connection, target, call, sender, signal, followed }, request) => {
      const { provider } = connection
      const { read, usageIn = provider.usageIn } = capability(provider, { request, target })!
      let answer: JsonAnswer | undefined
      try {
        answer = await sender.json(connection, call, signal)
        followed.saw?.(() => answer?.json)
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
