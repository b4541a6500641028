import type { FastifyRequest } from 'fastify'
import type { Multipart, MultipartFile } from '@fastify/multipart'
import { Failure } from '../lib/failure.ts'
import type { MultipartPart } from '../lib/form.ts'
import { GrowingBuffer, tooLarge } from './body.ts'
import type { RoutePlan } from './route.ts'

const MOST_FIELDS = 32
const LONGEST_FIELD_BYTES = 64 * 1024

/** As much of a request as reading its form needs. */
type FormReader = {
  plan: Pick<RoutePlan, 'multipartLimitBytes' | 'route'>
  holdBody(bytes: number): Failure | undefined
  cutBody: ((failure: Failure) => void) | undefined
}

/**
 * Parts as they come; fields may stand before or after the file. Memory is bounded part by part: one
 * file within the cap, 32 short fields. Every byte of the form is counted as it arrives.
 */
export async function* readMultipart(
  request: FastifyRequest,
  call: FormReader,
): AsyncGenerator<MultipartPart> {
  const { multipartLimitBytes: limitBytes } = call.plan
  const limits = {
    fields: MOST_FIELDS,
    fieldSize: LONGEST_FIELD_BYTES,
    fieldNameSize: 100,
    files: 1,
    parts: MOST_FIELDS + 1,
    fileSize: limitBytes,
    headerPairs: 50,
    headerSize: 8 * 1024,
  }
  try {
    const likelyBytes = Number(request.headers['content-length'] ?? 0)
    const parts = request.parts({ limits })
    let next = parts.next()
    // After the parser has been asked: it listens first, and nothing is lost.
    const cut = watch(request, call)
    for (;;) {
      const { value: part, done } = await Promise.race([next, cut])
      if (done === true) break
      if (part.type === 'file') {
        const reading = readFile(part, new GrowingBuffer(likelyBytes, limitBytes), call)
        yield await Promise.race([reading, cut])
      } else yield readField(part)
      next = parts.next()
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    if (isTooLarge(cause)) throw tooLarge(limitBytes, call.plan)
    throw new Failure('invalid', 'The multipart body is malformed or has too many parts.', {
      cause,
    })
  } finally {
    call.cutBody = undefined
  }
}

/** Rejects when the form is longer than it may be, finds no room, or is cut. */
function watch({ raw }: FastifyRequest, call: FormReader): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  // Nobody may be waiting for it.
  promise.catch(() => {})
  let bytes = 0
  const stop = (failure: Failure) => {
    raw.off('data', count).unpipe()
    reject(failure)
  }
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    const { multipartLimitBytes: limitBytes } = call.plan
    const failure =
      bytes > limitBytes ? tooLarge(limitBytes, call.plan) : call.holdBody(chunk.length)
    if (failure !== undefined) stop(failure)
  }
  call.cutBody = stop
  raw.on('data', count)
  return promise
}

/** The file is copied once, as it comes; gathered in chunks it would stand in memory twice. */
async function readFile(
  part: MultipartFile,
  gathered: GrowingBuffer,
  { plan }: FormReader,
): Promise<MultipartPart> {
  const { fieldname: name, filename, mimetype, file } = part
  for await (const chunk of file) {
    if (!gathered.take(chunk as Buffer)) throw tooLarge(gathered.limitBytes, plan)
  }
  if (file.truncated) throw tooLarge(gathered.limitBytes, plan)
  return { kind: 'file', name, filename: filename ?? '', mimetype, bytes: gathered.bytes }
}

function readField(part: Exclude<Multipart, MultipartFile>): MultipartPart {
  if (part.valueTruncated || part.fieldnameTruncated) {
    const name = part.fieldname.slice(0, 100)
    throw new Failure('invalid', `${name} is longer than ${LONGEST_FIELD_BYTES} bytes.`, {
      param: name,
    })
  }
  return { kind: 'field', name: part.fieldname, value: fieldText(part.value) }
}

/** A field labelled as JSON arrives parsed; rooms expect the text. */
function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isTooLarge(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'FST_REQ_FILE_TOO_LARGE'
}
