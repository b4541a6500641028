import { isUtf8 } from 'node:buffer'
import { Fault } from './fault.ts'

/** Leading white space is allowed: slow answers are kept alive with newlines. */
export function parseJson(bytes: Buffer): unknown {
  try {
    if (!isUtf8(bytes)) throw new Fault('garbage', 'json')
    const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    return JSON.parse(bytes.toString('utf8', marked ? 3 : 0))
  } catch {
    throw new Fault('garbage', 'json')
  }
}

export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault('garbage', 'json')
  }
}
