import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { JSON_TYPE, type Answer } from '../lib/answer.ts'
import type { Failure } from '../lib/failure.ts'
import { renderFailure, toFailure } from './dialect.ts'
import { discardBody } from './discard.ts'
import { originHeaders } from './headers.ts'
import { WINDOW_MS, type Slot } from './limits/process-counter.ts'
import { giveUpOnStalled, sendOutflow, type Head } from './outflow.ts'
import type { RequestContext } from './request-context.ts'
import type { Dialect } from './route.ts'

/** Sends an answer. Every answer, good or bad, is sent here, once. */
export function send(call: RequestContext, answer: Answer): void {
  const { request } = call
  const { body } = answer
  const head = { status: answer.status, headers: headersOf(call, answer) }
  call.trace?.answered(answer.status)
  if (!request.complete) discardBody(call)
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    sendWhole(call, head, body)
  } else if ('flow' in body) sendOutflow(call, head, body)
  else if (request.method === 'HEAD') {
    // The body of a HEAD is never sent: do not fetch it only to throw it away.
    body.destroy()
    call.response.writeHead(head.status, head.headers)
    call.response.end()
    call.end()
  } else sendStream(call, head, body)
}

/** Answers with a failure. Whatever a request throws ends here. */
export function fail(call: RequestContext, error: unknown): void {
  const failure = toFailure(error)
  const status = sendFailure(call, failure)
  logAnswer(call, status, failure)
}

/** Returns the status, which depends on the dialect. */
export function sendFailure(call: RequestContext, failure: Failure): number {
  const answer = renderFailure(failure, call.plan.route.dialect, call.requestId)
  answer.headers['content-type'] = JSON_TYPE
  send(call, answer)
  return answer.status
}

function headersOf(call: RequestContext, answer: Answer): Record<string, string> {
  const { context, plan, slot } = call
  const { dialect } = plan.route
  const headers: Record<string, string> = {
    ...context.standardHeaders,
    'x-request-id': call.requestId,
  }
  if (context.cors !== undefined) {
    Object.assign(headers, originHeaders(context.cors, plan.route.credential, call.request))
  }
  if (slot !== undefined && plan.sendsLimits) Object.assign(headers, limitHeaders(slot, dialect))
  if (context.running.draining) headers.connection = 'close'
  Object.assign(headers, answer.headers)
  // Anthropic's clients know it by this name; of a stored answer it is that of the first call.
  headers['request-id'] = headers['x-request-id']!
  return headers
}

const WINDOW_S = WINDOW_MS / 1_000

/**
 * How much of a rate limit is left, named and formatted as the SDKs of the dialect know it, and as
 * the IETF's draft has it for everybody (draft-ietf-httpapi-ratelimit-headers).
 */
function limitHeaders(slot: Slot, dialect: Dialect): Record<string, string> {
  const limit = String(slot.limit)
  const remaining = String(slot.remaining)
  const fields = {
    'ratelimit-policy': `"default";q=${limit};w=${WINDOW_S}`,
    ratelimit: `"default";r=${remaining};t=${slot.allowed ? slot.resetS : slot.retryAfterS}`,
  }
  if (dialect !== 'messages') {
    return {
      ...fields,
      'x-ratelimit-limit-requests': limit,
      'x-ratelimit-remaining-requests': remaining,
      'x-ratelimit-reset-requests': `${slot.resetS}s`,
    }
  }
  return {
    ...fields,
    'anthropic-ratelimit-requests-limit': limit,
    'anthropic-ratelimit-requests-remaining': remaining,
    'anthropic-ratelimit-requests-reset': new Date(Date.now() + slot.resetS * 1_000).toISOString(),
  }
}

const LARGE_BYTES = 64 * 1024

function sendWhole(call: RequestContext, { status, headers }: Head, body: string | Buffer): void {
  const { response } = call
  if (status !== 204) headers['content-length'] ??= String(Buffer.byteLength(body))
  response.writeHead(status, headers)
  response.end(body)
  if (body.length < LARGE_BYTES || response.destroyed) return call.end()
  // A large answer counts as memory of its caller until the reader has taken it.
  call.holdAnswer(body.length)
  giveUpOnStalled(response)
  response.once('close', () => call.end())
}

/** A stream that fails before its first byte is answered with a failure; later it breaks off. */
function sendStream(call: RequestContext, { status, headers }: Head, body: Readable): void {
  // No message of a socket is answered with bytes.
  const response = call.response as ServerResponse
  response.statusCode = status
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name]!)
  response.once('close', () => body.destroy())
  body.once('close', () => call.end())
  body.once('error', (error) => {
    if (response.headersSent || response.destroyed) {
      response.destroy()
      return
    }
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    fail(call, error)
  })
  body.pipe(response)
}

/** What became of a call: its metric, its line in the log, and its place among failed sign-ins. */
export function logAnswer(call: RequestContext, status: number, failure?: Failure): void {
  const { context } = call
  // A failure of ours does not count as a failed sign-in either.
  if (status < 400 || status >= 500) call.giveBackSlot?.()
  const durationMs = performance.now() - call.startedMs
  context.meter?.answered(call.plan.name, status, durationMs)
  if (status < 400 && !context.logsSuccesses) return
  const fields = {
    request_id: call.requestId,
    route: call.plan.name,
    status,
    duration_ms: Math.round(durationMs),
    account_id: call.principal?.accountId,
    reason: failure?.kind,
  }
  if (call.left) context.log.info('The caller disconnected.', fields)
  else if (status === 500)
    context.log.error('The request was answered.', { ...fields, error: failure?.cause })
  else if (status > 500)
    context.log.warn('The request was answered.', { ...fields, error: failure })
  else if (status >= 400) context.log.info('The request was answered.', fields)
  else context.log.debug('The request was answered.', fields)
}
