import { invalidField } from '../lib/failure.ts'
import { isFields } from '../lib/json.ts'
import { whyNotPublic } from '../lib/public-url.ts'

const LINK = /^[a-z][a-z0-9+.-]{0,31}:\/\//i
const LONGEST_LINK = 8_192

/**
 * Fields that pass to an upstream may contain links, under any name: each must lead to a public
 * https address. Prompts are text.
 */
export function checkLinks(body: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(body)) {
    if (name !== 'prompt' && name !== 'negative_prompt') checkValue(value, name)
  }
}

function checkValue(value: unknown, at: string): void {
  if (typeof value === 'string') checkText(value, at)
  else if (Array.isArray(value)) value.forEach((one, i) => checkValue(one, `${at}[${i}]`))
  else if (isFields(value)) {
    for (const [name, one] of Object.entries(value)) checkValue(one, `${at}.${name}`)
  }
}

function checkText(text: string, at: string): void {
  if (!LINK.test(text.trimStart())) return
  const why = text.length > LONGEST_LINK ? 'is longer than 8,192 characters' : whyNotPublic(text)
  if (why !== undefined) throw invalidField(at, why)
}
