import { createHash } from 'node:crypto'
import type { Json } from './exchange.ts'
import { countTokens } from './usage.ts'

/* What a Messages request says. */

type Placed = { role: string; block: Json; at: string }

export function blocksIn(body: Json): Placed[] {
  return ((body.messages ?? []) as Json[]).flatMap(({ role, content }, i) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    return ((blocks ?? []) as Json[]).map((block, k) => ({
      role: String(role),
      block,
      at: `messages.${i}.content.${k}`,
    }))
  })
}

/** The texts of the results that the last message brings. */
export function lastResults(body: Json): string[] {
  const last = ((body.messages ?? []) as Json[]).at(-1)
  const blocks = Array.isArray(last?.content) ? (last.content as Json[]) : []
  return blocks
    .filter(({ type }) => type === 'tool_result')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content ?? '')))
}

/** All that is read, without pictures, as text. */
export function promptText({ system, messages, tools }: Json): string {
  return JSON.stringify([system, messages, tools], (name, value: unknown) =>
    name === 'data' || name === 'cache_control' ? undefined : value,
  )
}

const cached = new Set<string>()

/** All before the last mark is written to the cache the first time, and read from it afterwards. */
export function cacheUse(body: Json): { read: number; written: number; hour: boolean } {
  const whole = JSON.stringify([body.tools, body.system, body.messages])
  const mark = whole.lastIndexOf('"cache_control":{')
  if (mark < 0) return { read: 0, written: 0, hour: false }
  const prefix = whole.slice(0, mark)
  const tokens = countTokens(prefix)
  const name = createHash('sha256').update(prefix).digest('hex')
  if (cached.has(name)) return { read: tokens, written: 0, hour: false }
  cached.add(name)
  return { read: 0, written: tokens, hour: whole.slice(mark).includes('"ttl":"1h"') }
}
