import {
  fieldsOf,
  isFields,
  listOf,
  parseForeignJson,
  textOf,
  type Fields,
} from '../../lib/json.ts'
import {
  dataUri,
  isSystem,
  partsOf,
  plainText,
  toolCallsOf,
  unsuitable,
  urlOf,
} from '../contract/chat-parts.ts'
import type { Signatures } from './signatures.ts'

type Content = { role: 'user' | 'model'; parts: Fields[] }

export function systemInstruction(messages: readonly Fields[]): Fields | undefined {
  const text = messages
    .filter(isSystem)
    .map(({ content }) => plainText(content))
    .filter((line) => line !== '')
    .join('\n\n')
  return text === '' ? undefined : { parts: [{ text }] }
}

export function contentsOf(messages: readonly Fields[], signatures: Signatures): Content[] {
  const names = toolNames(messages)
  const contents: Content[] = []
  for (const message of messages) {
    if (isSystem(message)) continue
    const content = contentOf(message, names, signatures)
    const last = contents.at(-1)
    if (content.parts.length === 0) continue
    if (last?.role === content.role) last.parts.push(...content.parts)
    else contents.push(content)
  }
  return contents
}

/** A tool message has only the call's id; this format needs the function's name. */
function toolNames(messages: readonly Fields[]): Map<string, string> {
  return new Map(messages.flatMap(toolCallsOf).map(({ id, name }) => [id, name]))
}

function contentOf(message: Fields, names: Map<string, string>, signatures: Signatures): Content {
  if (message.role === 'tool') return { role: 'user', parts: [functionResponse(message, names)] }
  if (message.role !== 'assistant') {
    return { role: 'user', parts: partsOf(message.content).map(userPart) }
  }
  const calls = toolCallsOf(message).map((call) => ({
    functionCall: { name: call.name, args: call.args },
    thoughtSignature: signatures.of(call) ?? detailOf(message, call.id),
  }))
  const text = plainText(message.content)
  return { role: 'model', parts: [...(text === '' ? [] : [{ text }]), ...calls] }
}

/** From the reasoning details, by the call's id. */
function detailOf({ reasoning_details: details }: Fields, callId: string): string | undefined {
  const found = listOf(details).find((one) => {
    const { id, type } = fieldsOf(one)
    return id === callId && type === 'reasoning.encrypted'
  })
  return textOf(fieldsOf(found).data)
}

function functionResponse(message: Fields, names: Map<string, string>): Fields {
  const name = names.get(textOf(message.tool_call_id) ?? '') ?? textOf(message.name)
  if (name === undefined)
    throw unsuitable('messages', 'a tool message refers to a tool call that is not in this chat.')
  return { functionResponse: { name, response: responseOf(plainText(message.content)) } }
}

/** Must be an object: other values are wrapped. */
function responseOf(text: string): Fields {
  try {
    const parsed = parseForeignJson(text)
    if (isFields(parsed)) return parsed
  } catch {
    // Plain text is an ordinary result.
  }
  return { output: text }
}

function userPart(part: Fields): Fields {
  switch (part.type) {
    case 'text':
      return { text: textOf(part.text) ?? '' }
    case 'image_url':
      return media(urlOf(part.image_url), 'image/jpeg')
    case 'video_url':
    case 'input_video':
      return media(urlOf(part.video_url), 'video/mp4')
    case 'file':
      return media(textOf(fieldsOf(part.file).file_data) ?? '', 'application/pdf')
    case 'input_audio':
      return audio(fieldsOf(part.input_audio))
    default:
      throw unsuitable('messages', 'this model does not accept one of the content parts.')
  }
}

function audio({ data, format }: Fields): Fields {
  return { inlineData: { mimeType: `audio/${textOf(format) ?? 'wav'}`, data } }
}

/** The upstream fetches only from these hosts, and we fetch no links. */
const FETCHED = /^https:\/\/(generativelanguage\.googleapis\.com|(www\.)?youtube\.com|youtu\.be)\//

function media(url: string, mimeType: string): Fields {
  const data = dataUri(url)
  if (data) return { inlineData: { mimeType: data.mediaType, data: data.data } }
  if (FETCHED.test(url)) return { fileData: { fileUri: url, mimeType } }
  throw unsuitable('messages', 'this model accepts images and files only as base64 data URIs.')
}
