import { invalidField } from '../../lib/failure.ts'
import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'

/* Blocks of a message as parts of a chat message. */

/** One string; parts only where cache marks are kept. */
export function textOfBlocks(blocks: readonly Fields[], { caches }: { caches: boolean }): unknown {
  if (caches && blocks.some(isMarked)) return blocks.map((block) => textPart(block, true))
  return blocks.map((block) => textOf(block.text) ?? '').join('\n\n')
}

export function isMarked(block: Fields): boolean {
  return isFields(block.cache_control)
}

/** Empty for kinds of blocks that a chat does not have. */
export function userParts(block: Fields, at: string, caches: boolean): Fields[] {
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string') throw invalidField(`${at}.text`, 'must be a string')
      // Some models refuse empty text.
      return block.text === '' ? [] : [textPart(block, caches)]
    case 'image':
      return [{ ...imagePart(block, at), ...(caches ? markOf(block) : {}) }]
    case 'document':
      return documentParts(block, at, caches)
    case 'search_result':
      return [{ type: 'text', text: searchResultText(block) }]
    default:
      return []
  }
}

function textPart(block: Fields, caches: boolean): Fields {
  return { type: 'text', text: block.text, ...(caches ? markOf(block) : {}) }
}

function markOf(block: Fields): Fields {
  return isMarked(block) ? { cache_control: block.cache_control } : {}
}

function imagePart(block: Fields, at: string): Fields {
  return { type: 'image_url', image_url: { url: addressOf(block.source, `${at}.source`) } }
}

/** Documents that are text are sent as text, which every model reads. */
function documentParts(block: Fields, at: string, caches: boolean): Fields[] {
  const source = fieldsOf(block.source)
  const title = textOf(block.title)
  const heading = title === undefined ? '' : `${title}\n\n`
  if (source.type === 'text') {
    if (typeof source.data !== 'string') throw invalidField(`${at}.source.data`, 'must be a string')
    return [{ type: 'text', text: heading + source.data, ...(caches ? markOf(block) : {}) }]
  }
  if (source.type === 'content') return innerParts(source.content, heading, at, caches)
  const file = {
    filename: title ?? 'document.pdf',
    file_data: addressOf(block.source, `${at}.source`),
  }
  return [{ type: 'file', file }]
}

function innerParts(content: unknown, heading: string, at: string, caches: boolean): Fields[] {
  const parts = heading === '' ? [] : [{ type: 'text', text: heading.trim() }]
  if (typeof content === 'string') return [...parts, { type: 'text', text: content }]
  const inner = listOf(content).flatMap((block, i) =>
    userParts(fieldsOf(block), `${at}.source.content[${i}]`, caches),
  )
  return [...parts, ...inner]
}

/** A data URI or a link. */
function addressOf(source: unknown, at: string): string {
  if (!isFields(source)) throw invalidField(at, 'must be an object')
  const { type, media_type: mediaType, data, url } = source
  if (type === 'base64') {
    if (typeof data !== 'string') throw invalidField(`${at}.data`, 'must be a string')
    if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType)) {
      throw invalidField(`${at}.media_type`, 'must be a media type such as image/png')
    }
    return `data:${mediaType};base64,${data}`
  }
  if (type === 'url') {
    if (typeof url !== 'string') throw invalidField(`${at}.url`, 'must be a string')
    return url
  }
  // There is no storage of files: an id could only name one in our own account.
  throw invalidField(`${at}.type`, 'must be base64 or url: files are not kept here')
}

const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/

export function searchResultText(block: Fields): string {
  const lines = listOf(block.content).map((one) => textOf(fieldsOf(one).text) ?? '')
  return [textOf(block.title) ?? '', textOf(block.source) ?? '', ...lines].join('\n').trim()
}
