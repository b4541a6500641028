import { fieldsOf, isFields, listOf, type Fields } from '../../lib/json.ts'
import { writesByLife } from '../contract/cache-life.ts'
import {
  ABSENT,
  costIn,
  countOf,
  readUsage,
  unknownCounts,
  type UsageReading,
} from '../contract/usage.ts'

/**
 * Their input tokens leave cached ones out; ours include them. The counts of the message stand at
 * the top, where its `message` iterations are added up; those of any other iteration, such as
 * `compaction`, stand nowhere else.
 */
export function anthropicUsage(raw: unknown): UsageReading {
  if (!isFields(raw)) return ABSENT
  const inner = listOf(raw.iterations).filter(isFields)
  const said = inner.filter(isMessage)
  const others = inner.filter((one) => !isMessage(one))
  const turns = [withSums(raw, said), ...others]
  const all = (name: string) => turns.map((turn) => turn[name])
  const lives = [...(raw.cache_creation ? [raw] : said), ...others].map(livesOf)
  const [read, written] = [all('cache_read_input_tokens'), turns.flatMap(writtenBy)]
  return readUsage({
    promptTokens: [...all('input_tokens'), ...read, ...written],
    longestPrompt: inner.length > 0 ? longestOf(turns[0]!, said, others) : undefined,
    completionTokens: all('output_tokens'),
    cachedTokens: read,
    cacheWriteTokens: written,
    cacheWrite30mTokens: lives.flatMap((one) => one.cacheWrite30mTokens),
    cacheWrite1hTokens: lives.flatMap((one) => one.cacheWrite1hTokens),
    cacheWrite12hTokens: lives.flatMap((one) => one.cacheWrite12hTokens),
    reasoningTokens: turns.map((turn) => fieldsOf(turn.output_tokens_details).thinking_tokens),
    costUsd: costIn(raw),
    unknown: {
      answer: unknownCounts(fieldsOf(raw.output_tokens_details), IN_OUTPUT),
      beside: unknownCounts({ ...raw, iterations: inner.map(withoutKnown) }, IN_USAGE),
    },
  })
}

const WHOLES = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const

/** `server_tool_use` is not among them: its counts have no price here. */
const IN_USAGE = new Set<string>([
  ...WHOLES,
  'cache_creation',
  'output_tokens_details',
  'total_tokens',
  'cost',
  'cost_details',
  'is_byok',
])
const IN_OUTPUT = new Set(['thinking_tokens'])

function isMessage({ type }: Fields): boolean {
  return type === 'message'
}

/** No count at the top is less than those of its iterations. */
function withSums(usage: Fields, said: readonly Fields[]): Fields {
  const top = { ...usage }
  for (const name of WHOLES) {
    const sum = said.reduce((total, one) => total + countOf(one[name]), 0)
    if (sum > countOf(usage[name])) top[name] = sum
  }
  return top
}

function livesOf({ cache_creation: details }: Fields) {
  return writesByLife(details)
}

/** The whole, and what its parts are more than it. */
function writtenBy(turn: Fields): unknown[] {
  const whole = turn.cache_creation_input_tokens
  const parts = livesOf(turn).all.reduce<number>((sum, one) => sum + countOf(one), 0)
  const more = parts - countOf(whole)
  return more > 0 ? [whole, more] : [whole]
}

function longestOf(top: Fields, said: readonly Fields[], others: readonly Fields[]): number {
  const sumOfSaid = said.reduce((sum, one) => sum + promptOf(one), 0)
  const single = sumOfSaid >= promptOf(top) ? said : [top]
  return Math.max(...[...single, ...others].map(promptOf))
}

function promptOf(turn: Fields): number {
  const parts = [turn.input_tokens, turn.cache_read_input_tokens, ...writtenBy(turn)]
  return parts.reduce<number>((sum, one) => sum + countOf(one), 0)
}

function withoutKnown(turn: Fields): Fields {
  return Object.fromEntries(Object.entries(turn).filter(([name]) => !IN_USAGE.has(name)))
}
