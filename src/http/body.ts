import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../lib/failure.ts'
import { overloaded } from './limits/capacity.ts'
import { GrowingBuffer } from './growing-buffer.ts'
import { tooLarge } from './multipart.ts'
import type { Plan } from './plan.ts'
import type { Walk } from './walk.ts'

/**
 * What the headers alone tell about the body: its size first, then its encoding and type. Nothing of
 * the body has been read yet.
 */
export function judgeBodyHead(plan: Plan, walk: Walk): void {
  const headers = walk.headers
  const contentLength = headers['content-length']
  const comes = headers['transfer-encoding'] !== undefined || Number(contentLength ?? 0) > 0
  if (!comes) return
  const type = (headers['content-type'] ?? '') as string
  const multipart = plan.bodyKind === 'json-or-multipart' && MULTIPART.test(type)
  const limitBytes = multipart ? plan.multipartLimitBytes : plan.limitBytes
  if (Number(contentLength ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Failure('invalid', 'Compressed request bodies are not accepted.', {
      param: 'Content-Encoding',
    })
  }
  if (!multipart && plan.bodyKind !== 'raw') {
    judgeJsonType(type, plan.bodyKind === 'json-or-multipart')
  }
  // A body of untold length is counted as it grows, except one whose parts others read.
  const expectedBytes = Number(contentLength ?? (multipart ? limitBytes : 0))
  if (!walk.holdBody(expectedBytes)) throw overloaded()
  if (multipart) walk.acceptMultipart()
}

const MULTIPART = /^multipart\/form-data *;/i
const JSON_MEDIA = /^application\/json *(?:; *charset *= *"?(?:utf-?8|us-ascii)"? *)?;? *$/i

function judgeJsonType(type: string, orMultipart: boolean): void {
  if (type === 'application/json' || JSON_MEDIA.test(type)) return
  const wanted = orMultipart ? 'application/json or multipart/form-data' : 'application/json'
  throw new Failure('invalid', `The Content-Type must be ${wanted}, in UTF-8.`, {
    param: 'Content-Type',
  })
}

/**
 * Gathers the bytes within the cap. Trouble is kept for the handler to throw: given to the framework
 * here, it would close the connection under a caller who is still sending.
 */
export function gatherBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const walk = request.walk
  if (walk === null || walk.plan.bodyKind === 'none') return done(null)
  walk.inviteBody()
  const limitBytes = walk.plan.limitBytes
  const told = payload.headers['content-length']
  const gathered = new GrowingBuffer(Number(told ?? 0), limitBytes)
  const settle = (failure: Failure | undefined, body?: Buffer) => {
    payload.off('data', take).off('end', finish).off('error', breakOff)
    if (failure !== undefined) payload.on('error', () => {})
    walk.bodyFailure = failure
    done(null, body)
  }
  const take = (chunk: Buffer) => {
    if (!gathered.take(chunk)) settle(tooLarge(limitBytes))
    else if (told === undefined && !walk.holdBody(chunk.length)) settle(overloaded())
  }
  const finish = () => settle(undefined, gathered.bytes)
  const breakOff = () => settle(new Failure('invalid', 'The request body ended too early.'))
  payload.on('data', take).on('end', finish).on('error', breakOff)
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
