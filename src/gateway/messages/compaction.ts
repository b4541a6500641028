import { invalidField } from '../../lib/failure.ts'
import { isFields, listOf, type Fields } from '../../lib/json.ts'

/** A message, the request's field of it, and which of its blocks are left, where not all are. */
export type SentMessage = { message: unknown; at: string; left?: readonly number[] }

/**
 * What is left of a history: the last summary in it (a `compaction` block) stands for everything
 * before. It is told as a text of the user, since only a summary that the provider itself made and
 * billed is read there.
 */
export function sinceSummary(messages: readonly unknown[]): SentMessage[] {
  let since: SentMessage[] = []
  for (const [i, message] of messages.entries()) {
    const at = `messages[${i}]`
    const blocks = isFields(message) ? listOf(message.content) : []
    if (!blocks.some(isSummary)) {
      since.push({ message, at })
      continue
    }
    const last = blocks.findLastIndex((block, k) => saysSomething(block, `${at}.content[${k}]`))
    if (last >= 0) since = [{ message: told(blocks[last] as Fields), at, left: [last] }]
    since.push(...restOf({ message, at }, blocks, last + 1))
  }
  return since
}

function isSummary(block: unknown): block is Fields {
  return isFields(block) && block.type === 'compaction'
}

/** Null where no summary could be made: then what came before is still there. */
function saysSomething(block: unknown, at: string): boolean {
  if (!isSummary(block)) return false
  const { content, tool_changes: changes } = block
  if (listOf(changes).length > 0) throw invalidField(`${at}.tool_changes`, 'must be empty here')
  if (content === undefined || content === null || content === '') return false
  if (typeof content !== 'string') throw invalidField(`${at}.content`, 'must be a string')
  return true
}

function told({ content, cache_control }: Fields): Fields {
  const mark = isFields(cache_control) ? { cache_control } : {}
  const text = `The conversation so far, in summary:\n\n${String(content)}`
  return { role: 'user', content: [{ type: 'text', text, ...mark }] }
}

function restOf(sent: SentMessage, blocks: readonly unknown[], from: number): SentMessage[] {
  const left = [...blocks.keys()].filter((i) => i >= from && !isSummary(blocks[i]))
  if (left.length === 0) return []
  const content = left.map((i) => blocks[i])
  return [{ ...sent, message: { ...(sent.message as Fields), content }, left }]
}
