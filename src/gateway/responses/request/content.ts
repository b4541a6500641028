import { invalidField } from '../../../lib/failure.ts'
import { fieldsOf, isFields, textOf, type Fields } from '../../../lib/json.ts'

/* The parts of a message or of a tool's result, as a chat writes them. */

/** A string is one part. Upstreams refuse empty text. */
export function chatParts(content: unknown, at: string): Fields[] {
  if (typeof content === 'string') return textParts(content)
  if (!Array.isArray(content)) throw invalidField(at, 'must be a string or an array of parts')
  return content.flatMap((part: unknown, i) => chatPart(part, `${at}[${i}]`))
}

export function textOnly(content: unknown, at: string): string {
  const parts = chatParts(content, at)
  if (!parts.every(isText)) throw invalidField(at, 'must be text')
  return joined(parts)
}

export function isText(part: Fields): boolean {
  return part.type === 'text'
}

export function joined(parts: readonly Fields[]): string {
  return parts.map((part) => part.text as string).join('\n\n')
}

function textParts(text: string): Fields[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

function chatPart(part: unknown, at: string): Fields[] {
  if (!isFields(part)) throw invalidField(at, 'must be an object')
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return textParts(stringIn(part, 'text', at))
    case 'refusal':
      return textParts(stringIn(part, 'refusal', at))
    case 'input_image':
      return [picture(part, at)]
    case 'input_file':
      return [file(part, at)]
    case 'input_audio':
      return [{ type: 'input_audio', input_audio: fieldsOf(part.input_audio) }]
    default:
      throw invalidField(`${at}.type`, 'must be input_text, input_image, input_file or input_audio')
  }
}

function stringIn(part: Fields, name: string, at: string): string {
  const text = part[name]
  if (typeof text !== 'string') throw invalidField(`${at}.${name}`, 'must be a string')
  return text
}

const DETAILS = new Map<unknown, string>([
  ['low', 'low'],
  ['high', 'high'],
  ['auto', 'auto'],
  ['original', 'high'],
])

function picture(part: Fields, at: string): Fields {
  refuseFileId(part, at)
  const url = textOf(part.image_url) ?? textOf(fieldsOf(part.image_url).url)
  if (url === undefined) throw invalidField(`${at}.image_url`, 'must be a string')
  const detail = DETAILS.get(part.detail)
  return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } }
}

function file(part: Fields, at: string): Fields {
  refuseFileId(part, at)
  // A link passes as it is: nothing is fetched here.
  const data = textOf(part.file_data) ?? textOf(part.file_url)
  const field = part.file_url === undefined ? 'file_data' : 'file_url'
  if (data === undefined) throw invalidField(`${at}.${field}`, 'must be a string')
  const filename = textOf(part.filename)
  return {
    type: 'file',
    file: { ...(filename === undefined ? {} : { filename }), file_data: data },
  }
}

/** A file id would name something in our own account at the upstream. */
function refuseFileId(part: Fields, at: string): void {
  if (part.file_id === undefined || part.file_id === null) return
  throw invalidField(`${at}.file_id`, 'is not known here: send the content itself')
}
