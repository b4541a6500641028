import type { z } from 'zod'
import { Failure } from '../lib/failure.ts'
import { parseRequestJson } from '../lib/json.ts'
import type { RequestContext } from './request-context.ts'
import type { RoutePlan } from './route.ts'

/** Path, query and body against the route's schemas; what comes out is what the handler sees. */
export function validateInput(
  call: RequestContext,
  input: { params: unknown; query: unknown; body: unknown },
): void {
  const { plan } = call
  const { params, query } = plan.route
  call.params = params === undefined ? input.params : parseParams(params, input.params)
  call.query = query === undefined ? input.query : parse(query, input.query, 'The query')
  if (call.bodyFailure !== undefined) throw call.bodyFailure
  if (plan.bodyKind !== 'none' && call.multipart === undefined) {
    call.body = bodyOf(plan, input.body as Buffer | undefined)
  }
}

function bodyOf(plan: RoutePlan, bytes: Buffer | undefined): unknown {
  if (plan.bodyKind === 'raw') return bytes ?? Buffer.alloc(0)
  const schema = plan.route.body
  const value =
    bytes === undefined || bytes.length === 0 ? undefined : parseRequestJson(bytes, plan)
  if (bytes !== undefined) release(bytes)
  return schema === undefined ? value : parse(schema, value, 'The request body')
}

const LARGE_BYTES = 1024 * 1024

/**
 * A large body is given back at once, not when the collector comes: ten recordings of 25 MiB would
 * wait for it. Small ones lie in memory that others share, and are left to it.
 */
function release(bytes: Buffer): void {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength > LARGE_BYTES) buffer.transfer(0)
}

function parseParams(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (!result.success) throw new Failure('not_found', 'There is no such resource.')
  return result.data
}

function parse(schema: z.ZodType, value: unknown, whole: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (value === undefined) throw new Failure('invalid', `${whole} is missing: send a JSON object.`)
  const param = fieldPath(issue?.path ?? [])
  const subject = param === '' ? whole : `\`${param}\``
  const sentence = `${subject}: ${(issue?.message ?? 'invalid').slice(0, LONGEST_REASON)}.`
  throw new Failure('invalid', sentence, { param: param === '' ? undefined : param })
}

const LONGEST_REASON = 200
const LONGEST_PATH = 100

/** `messages[0].content`, as the field is written in the documents of the compatible format. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`
  }
  return text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH)}…` : text
}
