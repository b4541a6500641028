import { isFields, listOf, textOf, type Fields } from '../../lib/json.ts'

/*
 * Thinking blocks as `reasoning_details`, and back. A model that thought before a tool call needs
 * its signed thinking again with the result.
 */

const FORMAT = 'anthropic-claude-v1'

export function thinkingDetails(blocks: readonly Fields[]): Fields[] {
  return blocks
    .filter(isThinking)
    .map((block, index) =>
      block.type === 'thinking'
        ? textDetail(index, { text: block.thinking, signature: block.signature })
        : encryptedDetail(index, block.data),
    )
}

export function isThinking({ type }: Fields): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** A streamed piece. */
export function textDetail(index: number, piece: { text?: unknown; signature?: unknown }): Fields {
  return { type: 'reasoning.text', ...piece, format: FORMAT, index }
}

export function encryptedDetail(index: number, data: unknown): Fields {
  return { type: 'reasoning.encrypted', data, format: FORMAT, index }
}

/**
 * Thinking blocks of an earlier answer. Those of other models, or without a signature, would be
 * refused.
 */
export function thinkingBlocks({ reasoning_details: details }: Fields): Fields[] {
  return listOf(details).flatMap((detail): Fields[] => {
    if (!isFields(detail) || detail.format !== FORMAT) return []
    const { type, text, signature, data } = detail
    if (type === 'reasoning.text' && typeof signature === 'string' && signature !== '') {
      return [{ type: 'thinking', thinking: textOf(text) ?? '', signature }]
    }
    return type === 'reasoning.encrypted' && typeof data === 'string'
      ? [{ type: 'redacted_thinking', data }]
      : []
  })
}
