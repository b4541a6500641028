import type { z } from 'zod'
import { Failure, invalidField } from '../lib/failure.ts'
import { isFields, parseRequestJson } from '../lib/json.ts'
import type { RequestContext } from './request-context.ts'
import type { Route, RoutePlan } from './route.ts'

/** Path, query and body against the route's schemas; what comes out is what the handler sees. */
export function validateInput(call: RequestContext, bytes: Buffer | undefined): void {
  const { plan } = call
  const { params, query } = plan.route
  if (params !== undefined) call.params = parseParams(params, call.params)
  if (query !== undefined) call.query = parse(query, call.query, 'The query', IN_A_QUERY)
  if (call.bodyFailure !== undefined) throw call.bodyFailure
  if (plan.bodyKind === 'none' || call.form !== undefined) return
  call.body = bodyOf(plan, bytes)
  const schema = plan.bodyKind === 'raw' ? undefined : plan.route.body
  if (schema !== undefined) call.body = parse(schema, call.body, 'The request body')
}

function bodyOf(plan: RoutePlan, bytes: Buffer | undefined): unknown {
  if (plan.bodyKind === 'raw') return bytes ?? Buffer.alloc(0)
  const value =
    bytes === undefined || bytes.length === 0 ? undefined : parseRequestJson(bytes, plan)
  if (bytes !== undefined) release(bytes)
  return value
}

/** The body of another route, as that route would read it; it stands in a field of this one. */
export function readInnerBody({ body: schema }: Route, value: unknown, field: string): unknown {
  return schema === undefined ? value : parse(schema, value, field)
}

const LARGE_BYTES = 1024 * 1024

/**
 * Frees the memory of a large body at once: the garbage collector may come late, and ten recordings
 * of 25 MiB would wait for it. A small body shares its memory with others and is left alone.
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

function parse(schema: z.ZodType, value: unknown, whole: string, words = IN_WORDS): unknown {
  let result = schema.safeParse(value, words)
  if (!result.success && dropNulls(value, result.error.issues)) {
    result = schema.safeParse(value, words)
  }
  if (result.success) return result.data
  if (value === undefined) throw new Failure('invalid', `${whole} is missing: send a JSON object.`)
  const issue = result.error.issues[0]!
  const reason = issue.message.slice(0, LONGEST_REASON)
  const field = fieldPath(issue.path)
  throw field === '' ? new Failure('invalid', `${whole} ${reason}.`) : invalidField(field, reason)
}

/**
 * `null` counts as absent, for fields of every depth: clients write it for what they do not set. Where
 * a schema takes null, it means something there. True when anything was refused for being null.
 */
function dropNulls(value: unknown, issues: readonly z.core.$ZodIssue[]): boolean {
  let dropped = false
  for (const { path } of issues) {
    const name = path.at(-1)
    let holder = value
    for (const step of path.slice(0, -1)) holder = (holder as Record<PropertyKey, unknown>)[step]
    if (typeof name !== 'string' || !isFields(holder) || holder[name] !== null) continue
    delete holder[name]
    dropped = true
  }
  return dropped
}

const LONGEST_REASON = 200
/** Only where a schema has no message of its own. */
const IN_WORDS = { error: reasonOf }
/** A parameter that comes twice is a list, of which its sender knows nothing. */
const IN_A_QUERY = {
  error: (issue: z.core.$ZodRawIssue) =>
    isRepeated(issue) ? 'must be given once' : reasonOf(issue),
}

function isRepeated({ code, input, path = [] }: z.core.$ZodRawIssue): boolean {
  return path.length > 0 && Array.isArray(input) && code !== 'too_small' && code !== 'too_big'
}

/** Follows the name of the field: `must be a string`. */
function reasonOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      return `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return sizeReason(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue)
    case 'too_big':
      return sizeReason(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue)
    case 'invalid_format':
      return issue.format === 'uuid' ? 'must be a UUID' : 'has the wrong format'
    case 'unrecognized_keys':
      return `has fields that are not known here: ${issue.keys.join(', ')}`
    default:
      return 'is not valid'
  }
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
}
const UNITS: Record<string, string> = { string: 'characters', array: 'items' }

function sizeReason(bound: string, size: number | bigint, { origin }: { origin: string }): string {
  const unit = UNITS[origin]
  return unit === undefined ? `must be ${bound} ${size}` : `must have ${bound} ${size} ${unit}`
}

const LONGEST_PATH = 100

/** `messages[0].content`, as the field is written in the documents of the compatible format. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`
  }
  return text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH)}…` : text
}
