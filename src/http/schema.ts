import type { z } from 'zod'
import { Failure } from '../lib/failure.ts'
import { parseJson } from '../lib/json.ts'
import type { Plan } from './plan.ts'
import type { Walk } from './walk.ts'

/** Path, query and body against the route's schemas; what comes out is what the handler sees. */
export function judgeInput(
  plan: Plan,
  walk: Walk,
  given: { params: unknown; query: unknown; body: unknown },
): void {
  const { params, query } = plan.route
  walk.params = params === undefined ? given.params : fitParams(params, given.params)
  walk.query = query === undefined ? given.query : fit(query, given.query, 'The query')
  if (walk.bodyFailure !== undefined) throw walk.bodyFailure
  if (plan.bodyKind !== 'none' && walk.multipart === undefined) {
    walk.body = bodyOf(plan, given.body as Buffer | undefined)
  }
}

function bodyOf(plan: Plan, bytes: Buffer | undefined): unknown {
  if (plan.bodyKind === 'raw') return bytes ?? Buffer.alloc(0)
  const schema = plan.route.body
  const value = bytes === undefined || bytes.length === 0 ? undefined : parseJson(bytes, plan)
  if (bytes !== undefined) release(bytes)
  return schema === undefined ? value : fit(schema, value, 'The request body')
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

function fitParams(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (!result.success) throw new Failure('not_found', 'There is no such resource.')
  return result.data
}

function fit(schema: z.ZodType, value: unknown, whole: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (value === undefined) throw new Failure('invalid', `${whole} is missing: send a JSON object.`)
  const param = fieldPath(issue?.path ?? [])
  const subject = param === '' ? whole : `\`${param}\``
  const sentence = `${subject}: ${(issue?.message ?? 'invalid').slice(0, LONGEST_REASON)}.`
  throw new Failure('invalid', sentence, param === '' ? {} : { param })
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
