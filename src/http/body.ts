import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../lib/failure.ts'
import { overloaded } from './limits/capacity.ts'
import type { RoutePlan } from './route.ts'

/** As much of a request as reading its body needs. */
type BodyReader = {
  plan: RoutePlan
  headers: Record<string, string | string[] | undefined>
  holdBody(bytes: number): boolean
  acceptMultipart(): void
}

/**
 * What the headers alone tell about the body: its size first, then its encoding and type. Nothing of
 * the body has been read yet.
 */
export function checkBodyHead(call: BodyReader): void {
  const { plan, headers } = call
  const contentLength = headers['content-length']
  const hasBody = headers['transfer-encoding'] !== undefined || Number(contentLength ?? 0) > 0
  if (!hasBody) return
  const type = (headers['content-type'] ?? '') as string
  const multipart = plan.bodyKind === 'json-or-multipart' && MULTIPART.test(type)
  const limitBytes = multipart ? plan.multipartLimitBytes : plan.limitBytes
  if (Number(contentLength ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Failure(
      'invalid',
      'Compressed request bodies are not accepted. Send it uncompressed.',
      {
        param: 'Content-Encoding',
      },
    )
  }
  if (!multipart && plan.bodyKind !== 'raw') {
    checkJsonType(type, plan.bodyKind === 'json-or-multipart')
  }
  // A body of unknown length is counted as it grows, except a multipart one, which the parser reads.
  const expectedBytes = Number(contentLength ?? (multipart ? limitBytes : 0))
  if (!call.holdBody(expectedBytes)) throw overloaded()
  if (multipart) call.acceptMultipart()
}

const MULTIPART = /^multipart\/form-data *;/i

function checkJsonType(type: string, orMultipart: boolean): void {
  if (type === 'application/json' || isJsonInUtf8(type)) return
  const wanted = orMultipart ? 'application/json or multipart/form-data' : 'application/json'
  throw new Failure('invalid', `The Content-Type must be ${wanted}, in UTF-8.`, {
    param: 'Content-Type',
  })
}

/** Longer than any that a client sends. */
const LONGEST_TYPE = 256
const UTF8 = new Set(['charset=utf-8', 'charset=utf8', 'charset=us-ascii'])

/** Taken apart at its semicolons: one pattern for it all tried every way to divide its spaces. */
function isJsonInUtf8(type: string): boolean {
  if (type.length > LONGEST_TYPE) return false
  const [media, ...parameters] = type.toLowerCase().replaceAll(/[ "]/g, '').split(';')
  const named = parameters.filter((parameter) => parameter !== '')
  return media === 'application/json' && named.length <= 1 && named.every((one) => UTF8.has(one))
}

export function tooLarge(limitBytes: number): Failure {
  return new Failure('too_large', `The request body is larger than ${limitBytes} bytes.`)
}

/**
 * Gathers the bytes within the cap. A failure is kept for the handler to throw: given to the
 * framework here, it would close the connection under a caller who is still sending.
 */
export function gatherBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const { call } = request
  if (call === null || call.plan.bodyKind === 'none') return done(null)
  call.inviteBody()
  const limitBytes = call.plan.limitBytes
  const contentLength = payload.headers['content-length']
  const gathered = new GrowingBuffer(Number(contentLength ?? 0), limitBytes)
  const settle = (failure: Failure | undefined, body?: Buffer) => {
    payload.off('data', take).off('end', finish).off('error', breakOff)
    if (failure !== undefined) payload.on('error', () => {})
    call.bodyFailure = failure
    done(null, body)
  }
  const take = (chunk: Buffer) => {
    if (!gathered.take(chunk)) settle(tooLarge(limitBytes))
    else if (contentLength === undefined && !call.holdBody(chunk.length)) settle(overloaded())
  }
  const finish = () => settle(undefined, gathered.bytes)
  const breakOff = () => settle(new Failure('invalid', 'The request body ended too early.'))
  payload.on('data', take).on('end', finish).on('error', breakOff)
}

const FIRST_BYTES = 16 * 1024
const EMPTY = Buffer.alloc(0)

/**
 * Bytes of a body as they come, in one piece of memory: a list of chunks joined at the end would
 * need the room twice. The announced length is only a first guess, and costs nothing until it is
 * filled.
 */
export class GrowingBuffer {
  readonly limitBytes: number
  readonly #likelyBytes: number
  #buffer: Buffer = EMPTY
  #length = 0

  constructor(likelyBytes: number, limitBytes: number) {
    this.limitBytes = limitBytes
    this.#likelyBytes = Number.isSafeInteger(likelyBytes) ? likelyBytes : 0
  }

  /** False when it would be more than the limit; then nothing is taken. */
  take(chunk: Buffer): boolean {
    const length = this.#length + chunk.length
    if (length > this.limitBytes) return false
    // A small body comes in one chunk: nothing is copied.
    if (this.#length === 0 && chunk.length >= this.#likelyBytes) this.#buffer = chunk
    else this.#copy(chunk, length)
    this.#length = length
    return true
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #copy(chunk: Buffer, length: number): void {
    if (length > this.#buffer.length) {
      const bufferBytes = Math.max(length, this.#likelyBytes, this.#length * 2, FIRST_BYTES)
      const buffer = Buffer.allocUnsafeSlow(Math.min(bufferBytes, this.limitBytes))
      this.#buffer.copy(buffer, 0, 0, this.#length)
      this.#buffer = buffer
    }
    chunk.copy(this.#buffer, this.#length)
  }
}

const DISCARDED_BYTES = 8 * 1024 * 1024
const DISCARDING_MS = 5_000

/**
 * Refused before the body was read whole. Closing at once would reset the connection, and a caller
 * who is still sending would never see why; so some more is read and thrown away, within bounds.
 */
export function discardBody(request: FastifyRequest, reply: FastifyReply): void {
  const raw = request.raw
  let bytes = 0
  const stop = () => raw.destroy()
  reply.raw.once('finish', () => {
    if (raw.complete || raw.destroyed) return
    const timer = setTimeout(stop, DISCARDING_MS)
    raw.once('close', () => clearTimeout(timer)).on('error', () => {})
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > DISCARDED_BYTES) stop()
    })
    raw.resume()
  })
}
