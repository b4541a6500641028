import { invalidField } from '../../lib/failure.ts'
import { fieldsOf, listOf, textOf, type Fields } from '../../lib/json.ts'
import { attachedHeading, resultText } from '../chat/dialects.ts'
import { searchResultText, userParts } from './blocks.ts'

/** A `tool` message has only text: pictures and files are kept apart. */
export type ToolResult = { message: Fields; media: Fields[] }

export function toolResult(block: Fields, at: string): ToolResult {
  const { tool_use_id: id, content } = block
  if (typeof id !== 'string') throw invalidField(`${at}.tool_use_id`, 'must be a string')
  const { texts, media } = read(content, at)
  const said = resultText(texts.filter((one) => one !== '').join('\n'), media)
  const message = {
    role: 'tool',
    tool_call_id: id,
    content: block.is_error === true ? `Error: ${said}` : said,
  }
  return { message, media: media.length > 0 ? [attachedHeading(id), ...media] : [] }
}

function read(content: unknown, at: string): { texts: string[]; media: Fields[] } {
  const found: { texts: string[]; media: Fields[] } = { texts: [], media: [] }
  if (content === undefined || content === null) return found
  if (typeof content === 'string') return { texts: [content], media: [] }
  if (!Array.isArray(content)) throw invalidField(`${at}.content`, 'must be a string or blocks')
  content.forEach((one: unknown, i) => readBlock(fieldsOf(one), `${at}.content[${i}]`, found))
  return found
}

function readBlock(
  block: Fields,
  at: string,
  { texts, media }: { texts: string[]; media: Fields[] },
): void {
  if (block.type === 'search_result') texts.push(searchResultText(block))
  else if (block.type === 'tool_reference') texts.push(textOf(block.tool_name) ?? '')
  for (const part of block.type === 'search_result' ? [] : userParts(block, at, false)) {
    if (part.type === 'text') texts.push(textOf(part.text) ?? '')
    else media.push(part)
  }
}

export function inOrderOfCalls(results: ToolResult[], calls: readonly string[]): ToolResult[] {
  const place = new Map(calls.map((id, i) => [id, i]))
  const placeOf = (result: ToolResult) => place.get(idOf(result)) ?? 0
  return results.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Ids of calls without a result, and of results without a call, or with a second one. */
export function unpaired(
  results: readonly ToolResult[],
  calls: readonly string[],
): { missing: string[]; foreign: string[] } {
  const missing = new Set(calls)
  const foreign = results.map(idOf).filter((id) => !missing.delete(id))
  return { missing: [...missing], foreign }
}

function idOf({ message }: ToolResult): string {
  return String(message.tool_call_id)
}

/** Left out, the model would miss tools. */
const NOT_HERE = new Set(['tool_addition', 'tool_removal'])

/** `left` has the blocks' places in the request, where not all of them are here. */
export function blocksOf(
  content: unknown,
  at: string,
  left?: readonly number[],
): { block: Fields; at: string }[] {
  if (typeof content === 'string') return [{ block: { type: 'text', text: content }, at }]
  if (!Array.isArray(content)) throw invalidField(`${at}.content`, 'must be a string or blocks')
  return listOf(content).map((block, i) => {
    const place = `${at}.content[${left?.[i] ?? i}]`
    const fields = fieldsOf(block)
    const { type } = fields
    if (typeof type !== 'string') throw invalidField(`${place}.type`, 'must be a string')
    if (NOT_HERE.has(type)) throw invalidField(`${place}.type`, `must not be ${type} here`)
    return { block: fields, at: place }
  })
}
