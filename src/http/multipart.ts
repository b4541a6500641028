import { parseForeignJson } from '../lib/json.ts'
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { Failure } from '../lib/failure.ts'
import type { Form } from '../lib/form.ts'
import { GrowingBuffer, tooLarge } from './body.ts'
import type { RoutePlan } from './route.ts'

const MOST_FIELDS = 32
const LONGEST_FIELD_BYTES = 64 * 1024
const LONGEST_NAME = 100

/** The part of a call that reading its form needs. */
type FormReader = {
  plan: Pick<RoutePlan, 'multipartLimitBytes' | 'route'>
  request: IncomingMessage
  holdBody(bytes: number): Failure | undefined
  cutBody: ((failure: Failure) => void) | undefined
}

/**
 * Reads a form to its end: fields may stand before or after the file. Memory is bounded part by part:
 * one file within the cap, 32 short fields. Every byte of the form is counted as it arrives.
 */
export async function readMultipart(call: FormReader): Promise<Form> {
  const { request } = call
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const parser = parserOf(request).on('finish', resolve)
  for (const event of ['error', 'partsLimit', 'filesLimit', 'fieldsLimit']) {
    parser.on(event, (cause: unknown) => reject(malformed(cause)))
  }
  const form = collect(parser, call, reject)
  const count = countBytes(call, reject)
  const leave = () => {
    if (!request.complete) reject(malformed())
  }
  call.cutBody = reject
  request.on('data', count).on('close', leave).pipe(parser)
  try {
    await promise
    return form()
  } finally {
    request.off('data', count).off('close', leave).unpipe(parser)
    call.cutBody = undefined
  }
}

function parserOf({ headers }: IncomingMessage): BusboyInstance {
  const limits = {
    fields: MOST_FIELDS,
    fieldSize: LONGEST_FIELD_BYTES,
    files: 1,
    parts: MOST_FIELDS + 1,
    headerPairs: 50,
    headerSize: 8 * 1024,
  }
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type']! }, limits })
  } catch (cause) {
    // No boundary.
    throw malformed(cause)
  }
}

/** The form is longer than it may be, or finds no room. */
function countBytes(call: FormReader, refuse: (failure: Failure) => void) {
  const { multipartLimitBytes: limitBytes } = call.plan
  let bytes = 0
  return (chunk: Buffer) => {
    bytes += chunk.length
    const failure =
      bytes > limitBytes ? tooLarge(limitBytes, call.plan) : call.holdBody(chunk.length)
    if (failure !== undefined) refuse(failure)
  }
}

/** Fields and the file as they come. The file is copied once: in chunks it would be there twice. */
function collect(
  parser: BusboyInstance,
  { request, plan }: FormReader,
  refuse: (failure: Failure) => void,
): () => Form {
  const fields = new Map<string, string[]>()
  let file: Omit<NonNullable<Form['file']>, 'bytes'> | undefined
  const likelyBytes = Number(request.headers['content-length'] ?? 0)
  const gathered = new GrowingBuffer(likelyBytes, plan.multipartLimitBytes)
  parser.on('field', (name, value, _nameCut, valueCut, _encoding, type) => {
    if (name in Object.prototype) return refuse(malformed())
    if (valueCut) return refuse(tooLong(name))
    try {
      fields.set(name, [...(fields.get(name) ?? []), fieldText(value, type)])
    } catch (cause) {
      refuse(malformed(cause))
    }
  })
  parser.on('file', (name, stream, filename, _encoding, mimetype) => {
    if (name in Object.prototype) refuse(malformed())
    file = { name, filename: filename ?? '', mimetype }
    stream.on('error', (cause) => refuse(malformed(cause)))
    stream.on('data', (chunk: Buffer) => {
      if (!gathered.take(chunk)) refuse(tooLarge(gathered.limitBytes, plan))
    })
  })
  return () => ({ fields, file: file && { ...file, bytes: gathered.bytes } })
}

/** A field labelled as JSON must be JSON; of a JSON string rooms expect the text. */
function fieldText(value: string, type: string): string {
  if (!type.startsWith('application/json')) return value
  const parsed = parseForeignJson(value)
  return typeof parsed === 'string' ? parsed : value
}

function tooLong(field: string): Failure {
  const name = field.slice(0, LONGEST_NAME)
  return new Failure('invalid', `${name} is longer than ${LONGEST_FIELD_BYTES} bytes.`, {
    param: name,
  })
}

function malformed(cause?: unknown): Failure {
  return new Failure('invalid', 'The multipart body is malformed or has too many parts.', { cause })
}
