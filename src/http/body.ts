import type { IncomingMessage } from 'node:http'
import { Failure, invalidField } from '../lib/failure.ts'
import type { RoutePlan } from './route.ts'

/** The part of a call that reading its body needs. */
type BodyReader = {
  plan: RoutePlan
  headers: Record<string, string | string[] | undefined>
  refuseBody(bytes: number): Failure | undefined
  holdBody(bytes: number): Failure | undefined
  acceptForm(): void
  inviteBody(): void
  bodyFailure: Failure | undefined
  cutBody: ((failure: Failure) => void) | undefined
}

/**
 * What the headers alone tell about the body: its size first, then its encoding and type. Nothing of
 * the body has been read yet. True when its bytes are to be gathered; a form is read by its handler.
 */
export function checkBodyHead(call: BodyReader): boolean {
  const { plan, headers } = call
  const contentLength = headers['content-length']
  const hasBody = headers['transfer-encoding'] !== undefined || Number(contentLength ?? 0) > 0
  if (!hasBody) return false
  const type = (headers['content-type'] ?? '') as string
  const multipart = plan.bodyKind === 'json-or-multipart' && MULTIPART.test(type)
  const limitBytes = multipart ? plan.multipartLimitBytes : plan.limitBytes
  if (Number(contentLength ?? 0) > limitBytes) throw tooLarge(limitBytes, plan)
  // Where no length is told there may be no byte at all, of which there is nothing to refuse.
  const told = multipart || contentLength !== undefined
  const refused = told ? unreadable(call) : undefined
  if (refused !== undefined) throw refused
  // Nothing is reserved for an announced length, but where there is no room now it need not be sent.
  const refusal = call.refuseBody(Number(contentLength ?? 0))
  if (refusal !== undefined) throw refusal
  if (multipart) call.acceptForm()
  return !multipart
}

/** Of bytes in a form that is not read here. */
function unreadable({ plan, headers }: BodyReader): Failure | undefined {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    const sentence = 'Compressed request bodies are not accepted. Send the body uncompressed.'
    return new Failure('invalid', sentence, { param: 'Content-Encoding' })
  }
  const type = (headers['content-type'] ?? '') as string
  const orMultipart = plan.bodyKind === 'json-or-multipart'
  if (plan.bodyKind === 'raw' || (orMultipart && MULTIPART.test(type))) return undefined
  return wrongType(type, orMultipart)
}

const MULTIPART = /^multipart\/form-data *;/i

function wrongType(type: string, orMultipart: boolean): Failure | undefined {
  if (type === 'application/json' || isJsonInUtf8(type)) return undefined
  const wanted = orMultipart ? 'application/json or multipart/form-data' : 'application/json'
  return new Failure('invalid', `The Content-Type must be ${wanted}, in UTF-8.`, {
    param: 'Content-Type',
  })
}

/** Longer than any that a client sends. */
const LONGEST_TYPE = 256
const UTF8 = new Set(['charset=utf-8', 'charset=utf8', 'charset=us-ascii'])

/** Split, not matched with one pattern: that took quadratic time for a type full of spaces. */
function isJsonInUtf8(type: string): boolean {
  if (type.length > LONGEST_TYPE) return false
  const [media, ...parameters] = type.toLowerCase().replaceAll(/[ "]/g, '').split(';')
  const named = parameters.filter((parameter) => parameter !== '')
  return media === 'application/json' && named.length <= 1 && named.every((one) => UTF8.has(one))
}

export function tooLarge(limitBytes: number, { route }: Pick<RoutePlan, 'route'>): Failure {
  const { field, mib } = route.fileLimit ?? {}
  if (field !== undefined) {
    return invalidField(
      field,
      `is limited to ${mib} MiB, and the request body to ${limitBytes} bytes`,
    )
  }
  return new Failure('too_large', `The request body is larger than ${limitBytes} bytes.`)
}

/** Gathers the bytes up to the limit. `validateInput` throws a failure, after it checked the path. */
export function gatherBody(
  call: BodyReader,
  request: IncomingMessage,
  done: (body: Buffer | undefined) => void,
): void {
  call.inviteBody()
  const limitBytes = call.plan.limitBytes
  const contentLength = request.headers['content-length']
  const gathered = new GrowingBuffer(Number(contentLength ?? 0), limitBytes)
  const settle = (failure: Failure | undefined, body?: Buffer) => {
    call.cutBody = undefined
    request.off('data', take).off('end', finish).off('error', breakOff)
    if (failure !== undefined) request.on('error', () => {})
    call.bodyFailure = failure
    done(body)
  }
  const take = (chunk: Buffer) => {
    const unread = contentLength === undefined ? unreadable(call) : undefined
    const fits = gathered.take(chunk)
    const failure = unread ?? (fits ? call.holdBody(chunk.length) : tooLarge(limitBytes, call.plan))
    if (failure !== undefined) settle(failure)
  }
  const finish = () => settle(undefined, gathered.bytes)
  const breakOff = () => settle(new Failure('invalid', 'The request body ended too early.'))
  if (request.destroyed) return breakOff()
  call.cutBody = settle
  request.on('data', take).on('end', finish).on('error', breakOff)
}

const FIRST_BYTES = 16 * 1024
const EMPTY = Buffer.alloc(0)

/**
 * Bytes of a body as they come, in one piece of memory: a list of chunks joined at the end would
 * need the room twice. It grows by what has come, up to the length that was announced.
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
      const wanted = Math.max(length * 4, FIRST_BYTES)
      const most = this.#likelyBytes >= length ? this.#likelyBytes : this.limitBytes
      const buffer = Buffer.allocUnsafeSlow(Math.min(wanted, most))
      this.#buffer.copy(buffer, 0, 0, this.#length)
      this.#buffer = buffer
    }
    chunk.copy(this.#buffer, this.#length)
  }
}
