import { isFields, type Fields } from '../../lib/json.ts'
import { countOf, isAmount } from './usage.ts'

/**
 * The counts of a stream so far, with those of a later event. They are totals, so they are never
 * added up; and none goes down, since what was counted once was billed.
 */
export function laterCounts(before: Fields | undefined, told: Fields): Fields {
  return before === undefined ? told : joined(before, told, 0)
}

const DEEPEST = 8

function joined(before: Fields, told: Fields, depth: number): Fields {
  const counts = new Map(Object.entries(before))
  for (const [name, one] of Object.entries(told)) {
    counts.set(name, later(counts.get(name), one, depth))
  }
  return Object.fromEntries(counts)
}

function later(before: unknown, told: unknown, depth: number): unknown {
  if (told === null || told === undefined) return before
  if (before === null || before === undefined) return told
  if (typeof before === 'number') return isLater(before, told) ? told : before
  if (depth === DEEPEST) return before
  if (Array.isArray(before) && Array.isArray(told)) return laterList(before, told, depth + 1)
  if (isFields(before) && isFields(told)) return joined(before, told, depth + 1)
  return typeof before !== 'object' && typeof before === typeof told ? told : before
}

/** Joined item by item, unless they name different things: then the one that counts more. */
function laterList(before: unknown[], told: unknown[], depth: number): unknown[] {
  if (!before.every((one, i) => isAlike(one, told[i]))) {
    return sumOf(told, depth) >= sumOf(before, depth) ? told : before
  }
  const length = Math.max(before.length, told.length)
  return Array.from({ length }, (_, i) => later(before[i], told[i], depth))
}

function isAlike(before: unknown, told: unknown): boolean {
  if (!isFields(before) || !isFields(told)) return true
  return Object.entries(before).every(
    ([name, one]) =>
      typeof one !== 'string' || typeof told[name] !== 'string' || told[name] === one,
  )
}

function isLater(before: number, told: unknown): boolean {
  if (!isAmount(before)) return true
  if (!isAmount(told) || told < before) return false
  // A cost grows from nothing to a fraction, a count never becomes one.
  return before === 0 || !Number.isInteger(before) || Number.isInteger(told)
}

function sumOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return countOf(value)
  return Object.values(value).reduce<number>((sum, one) => sum + sumOf(one, depth + 1), 0)
}
