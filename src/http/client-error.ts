import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { JSON_TYPE } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { renderFailure } from './dialect.ts'
import { newRequestId } from './request-context.ts'

/** Answers bytes that are not HTTP, in the envelope as no route is known, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (socket.writable && !answerBegun(socket)) socket.write(rawAnswer(error.code))
  socket.destroySoon()
}

/** Writing into an answer that has begun would corrupt it. */
function answerBegun(socket: Socket): boolean {
  const message = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage
  return message?.headersSent === true
}

function rawAnswer(code: string | undefined): string {
  const requestId = newRequestId()
  const [status, sentence] = STATUSES[code ?? ''] ?? MALFORMED
  const failure = new Failure('invalid', sentence)
  const { body } = renderFailure(failure, 'envelope', requestId, status)
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `Request-Id: ${requestId}`,
    ...(status === TIMED_OUT ? [] : ['X-Should-Retry: false']),
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

const TIMED_OUT = 408
const MALFORMED: [number, string] = [400, 'The request is not well-formed HTTP.']
const STATUSES: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [TIMED_OUT, 'The request did not arrive in time.'],
}
