import { fieldsOf, isFields, textOf, type Fields } from '../../lib/json.ts'
import {
  dataUri,
  isSystem,
  partsOf,
  plainText,
  toolCallsOf,
  unsuitable,
  urlOf,
} from '../contract/chat-parts.ts'
import { thinkingBlocks } from './thinking.ts'

type Turn = { role: 'user' | 'assistant'; content: Fields[] }

export function systemBlocks(messages: readonly Fields[]): Fields[] {
  return messages
    .filter(isSystem)
    .flatMap(({ content }) => partsOf(content))
    .flatMap(textBlock)
}

/** Roles must alternate: neighbours of one role are merged, tool results become the user's. */
export function anthropicMessages(messages: readonly Fields[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (isSystem(message)) continue
    const turn = turnOf(message)
    const last = turns.at(-1)
    if (turn.content.length === 0) continue
    if (last?.role === turn.role) last.content.push(...turn.content)
    else turns.push(turn)
  }
  if (turns.at(-1)?.role !== 'user')
    throw unsuitable('messages', 'the last message must be from the user.')
  return turns.map(resultsFirst)
}

function turnOf(message: Fields): Turn {
  if (message.role === 'tool') return { role: 'user', content: [toolResult(message)] }
  if (message.role !== 'assistant') {
    return { role: 'user', content: partsOf(message.content).flatMap(userBlock) }
  }
  const calls = toolCallsOf(message).map(({ id, name, args }) => ({
    type: 'tool_use',
    id,
    name,
    input: args,
  }))
  return {
    role: 'assistant',
    content: [...thinkingBlocks(message), ...partsOf(message.content).flatMap(textBlock), ...calls],
  }
}

function toolResult(message: Fields): Fields {
  return {
    type: 'tool_result',
    tool_use_id: message.tool_call_id,
    content: resultContent(message.content),
  }
}

/** A string; blocks only with pictures or files. */
function resultContent(content: unknown): unknown {
  const parts = partsOf(content)
  if (parts.every(({ type }) => type === 'text')) return plainText(content)
  return parts.flatMap(userBlock)
}

function resultsFirst(turn: Turn): Turn {
  const isResult = (block: Fields) => block.type === 'tool_result'
  if (!turn.content.some(isResult)) return turn
  const rest = turn.content.filter((block) => !isResult(block))
  return { ...turn, content: [...turn.content.filter(isResult), ...rest] }
}

/** Empty text blocks are refused. */
function textBlock(part: Fields): Fields[] {
  const text = textOf(part.text) ?? textOf(part.refusal) ?? ''
  return text === '' ? [] : [{ type: 'text', text, ...cacheControl(part) }]
}

function cacheControl(part: Fields): Fields {
  return isFields(part.cache_control) ? { cache_control: part.cache_control } : {}
}

function userBlock(part: Fields): Fields[] {
  switch (part.type) {
    case 'text':
      return textBlock(part)
    case 'image_url':
      return [{ type: 'image', source: sourceOf(urlOf(part.image_url)), ...cacheControl(part) }]
    case 'file':
      return [documentBlock(fieldsOf(part.file))]
    default:
      throw unsuitable('messages', 'this model accepts only text, images and PDF files.')
  }
}

function documentBlock(file: Fields): Fields {
  const source = sourceOf(textOf(file.file_data) ?? '')
  return { type: 'document', source, title: textOf(file.filename) }
}

function sourceOf(url: string): Fields {
  const data = dataUri(url)
  if (data) return { type: 'base64', media_type: data.mediaType, data: data.data }
  if (url.startsWith('https://')) return { type: 'url', url }
  throw unsuitable('messages', 'a file or an image must be a base64 data URI or an https URL.')
}
