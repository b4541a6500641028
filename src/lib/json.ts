import { isUtf8 } from 'node:buffer'
import { Failure, invalidField } from './failure.ts'
import { DEEPEST_JSON, scanJson, tooDeep, type MostValues, type Span } from './json-scan.ts'
import { parseAround } from './long-json.ts'
import { isStorable, unstorableField } from './storable.ts'

/** Up to here `JSON.parse` of the worst bytes is harmless, and the check below finds what is wrong. */
const SMALL_BYTES = 64 * 1024

/**
 * Parses a body that a stranger sent. Bombs are refused by a scan over the bytes before anything is
 * built from them: `JSON.parse` of 14.5 MB of `[[[[…` would hold the process for seconds.
 *
 * Integers beyond 2^53 pass, since JSON schemas inside a chat body are full of them; a field whose
 * value matters is declared `z.int()`, which refuses them.
 */
export function parseRequestJson(bytes: Buffer, options: { stored: boolean }): unknown {
  if (!isUtf8(bytes)) throw new Failure('invalid', 'The request body must be valid UTF-8.')
  const longest = bytes.length > SMALL_BYTES ? scanJson(bytes).longest : NOTHING_LONG
  const isLong = longest.end - longest.start >= LONG_BYTES
  const value = (isLong ? parseAround(bytes, longest) : undefined) ?? parse(bytes)
  if (!checkValue(value, 1, options.stored)) throw unstorable(value)
  return value
}

const NOTHING_LONG: Span = { start: 0, end: 0 }
const LONG_BYTES = 1024 * 1024

/** Embeddings are millions of numbers, and log probabilities hundreds of thousands of texts. */
const MOST_FOREIGN: MostValues = { all: 2_000_000, noNumbers: 500_000 }

/**
 * Parses JSON that was written by somebody else: an upstream, a provider of payments, messages or
 * identities, or a caller or a model inside a text. Throws before anything is built when it is nested
 * too deeply or has too many values: `JSON.parse` of 30 MB of `[[[[…` takes half a minute. What a
 * caller sends as a body goes through `parseRequestJson`.
 */
export function parseForeignJson(json: string | Buffer): unknown {
  const isLarge = json.length > SMALL_BYTES
  if (isLarge) scanJson(typeof json === 'string' ? Buffer.from(json) : json, MOST_FOREIGN)
  const text = typeof json === 'string' ? json : unmarked(json)
  if (!isLarge && mayBeDeep(text)) scanJson(Buffer.from(text), MOST_FOREIGN)
  return JSON.parse(text)
}

/** Nothing is nested deeper than it has opening brackets. */
function mayBeDeep(text: string): boolean {
  if (text.length <= 2 * DEEPEST_JSON) return false
  return count(text, '{') + count(text, '[') > DEEPEST_JSON
}

/** Stops one beyond what may be. */
function count(text: string, bracket: string): number {
  let found = 0
  let at = text.indexOf(bracket)
  while (at >= 0 && found <= DEEPEST_JSON) {
    found++
    at = text.indexOf(bracket, at + 1)
  }
  return found
}

/** Without the mark that some write in front. */
function unmarked(bytes: Buffer): string {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', marked ? 3 : 0)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(unmarked(bytes))
  } catch (cause) {
    // The engine's own message quotes the input; only the position is passed on.
    const position = / position (\d+)/.exec(String(cause))?.[1]
    const where = position === undefined ? '' : ` It breaks at position ${position}.`
    throw new Failure('invalid', `The request body is not valid JSON.${where}`)
  }
}

/**
 * What the grammar allows and we do not: depth in small bodies, infinities, `__proto__`. False for
 * text that is stored and cannot be.
 */
function checkValue(value: unknown, depth: number, stored: boolean): boolean {
  if (typeof value === 'string') return !stored || isStorable(value)
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return true
    throw new Failure('invalid', 'The request body contains a number that is out of range.')
  }
  if (typeof value !== 'object' || value === null) return true
  if (depth > DEEPEST_JSON) throw tooDeep()
  if (!Array.isArray(value)) return checkObject(value as Record<string, unknown>, depth, stored)
  return value.every((item) => checkValue(item, depth + 1, stored))
}

function checkObject(object: Record<string, unknown>, depth: number, stored: boolean): boolean {
  for (const key in object) {
    if (key === '__proto__') {
      throw new Failure('invalid', 'The request body must not contain the key "__proto__".')
    }
    if (stored && !isStorable(key)) return false
    if (!checkValue(object[key], depth + 1, stored)) return false
  }
  return true
}

function unstorable(value: unknown): Failure {
  const field = unstorableField(value)
  const why = 'must be valid Unicode text without the NUL character'
  return field ? invalidField(field, why) : new Failure('invalid', `The request body ${why}.`)
}

/** A JSON object whose members have not been looked at yet. */
export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value when it is an object, else an empty one: for optional members. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/**
 * What passes of a value: `plain` is texts, numbers, switches and lists of them, a set only what is
 * in it, members an object or a list of objects; `ours` is left out without a word, since something
 * of ours stands in its place.
 */
export type Rule = 'plain' | 'any' | 'ours' | ReadonlySet<unknown> | Kinds | Members
export type Members = { readonly [name: string]: Rule }

/**
 * A plain value, or objects of several kinds that are told apart by their `type`; `usual` is the kind
 * of those without one.
 */
export class Kinds {
  readonly #kinds: ReadonlyMap<unknown, Members>
  readonly #usual: string | undefined

  constructor(kinds: { readonly [type: string]: Members }, usual?: string) {
    const list = Object.entries(kinds)
    this.#kinds = new Map(list.map(([type, members]) => [type, { type: 'plain', ...members }]))
    this.#usual = usual
  }

  /** Dated versions of a kind are one kind. */
  membersOf({ type }: Fields): Members | undefined {
    const kind = type ?? this.#usual
    return this.#kinds.get(typeof kind === 'string' ? kind.replace(/_\d{8}$/, '') : kind)
  }
}

const MOST_NAMED = 50
const NAME = /^[\w.:-]{1,64}$/

/** What passes of all levels; the same object if that is all. `leftOut` gets the names of the rest. */
export function sift(
  fields: Fields,
  ruleOf: (name: string) => Rule | undefined,
  leftOut: Set<string>,
  at = '',
): Fields {
  let kept = fields
  for (const name in fields) {
    const value = fields[name]
    const rule = ruleOf(name)
    const passed = rule && siftValue(value, rule, leftOut, at, name)
    if (passed === value) continue
    if (rule === undefined && !isAbsent(value)) note(leftOut, at + (NAME.test(name) ? name : '?'))
    if (kept === fields) kept = { ...fields }
    if (passed === undefined) delete kept[name]
    else kept[name] = passed
  }
  return kept
}

/** Null counts as absent, and so does a field that a translation has but leaves open. */
function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}

function note(leftOut: Set<string>, path: string): undefined {
  if (leftOut.size < MOST_NAMED) leftOut.add(path)
}

function siftValue(
  value: unknown,
  rule: Rule,
  leftOut: Set<string>,
  at: string,
  name: string,
): unknown {
  if (rule === 'any') return value
  if (rule === 'ours') return undefined
  if (Array.isArray(value)) return siftList(value, rule, leftOut, at, `${name}[]`)
  const path = at + name
  if (!isFields(value)) {
    if (isAbsent(value) || takesPlain(rule, value)) return value
    return note(leftOut, path)
  }
  const members = membersOf(rule, value)
  if (members === undefined) return note(leftOut, path)
  const ruleOf = (name: string) => (Object.hasOwn(members, name) ? members[name] : undefined)
  return sift(value, ruleOf, leftOut, `${path}.`)
}

/** A list of which nothing passes is left out. */
function siftList(
  list: unknown[],
  rule: Rule,
  leftOut: Set<string>,
  at: string,
  name: string,
): unknown[] | undefined {
  let changed = false
  const passed = list.map((item) => {
    const kept = siftValue(item, rule, leftOut, at, name)
    changed ||= kept !== item
    return kept
  })
  if (!changed) return list
  const left = passed.filter((item) => item !== undefined)
  return left.length > 0 ? left : undefined
}

function takesPlain(rule: Rule, value: unknown): boolean {
  return rule instanceof Set ? rule.has(value) : rule === 'plain' || rule instanceof Kinds
}

function membersOf(rule: Rule, value: Fields): Members | undefined {
  if (rule instanceof Kinds) return rule.membersOf(value)
  return typeof rule === 'string' || rule instanceof Set ? undefined : (rule as Members)
}
