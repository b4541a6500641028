import { invalidField } from '../lib/failure.ts'

const KISWAHILI = 'sw'
const LONGEST = 32

/** What a recording is in: as named, else the default. None for `auto`: the model listens. */
export function spokenLanguage(
  named: string | null | undefined,
  fallback: string,
): string | undefined {
  if (!named) return fallback
  return named.trim().toLowerCase() === 'auto'
    ? undefined
    : requireLanguage(named, 'language', 'auto')
}

/** A language as ISO 639-1: `sw`, `sw-TZ` and `Kiswahili` give `sw`. */
export function requireLanguage(language: string, field: string, also?: string): string {
  const code = languageCode(language)
  if (code !== undefined) return code
  const or = also === undefined ? '' : `, or ${also}`
  throw invalidField(field, `must be an ISO 639-1 code, such as sw or en${or}`)
}

/** Upstreams answer with codes or English names. */
export function languageCode(language: string): string | undefined {
  const word = language.trim().toLowerCase()
  if (word.length > LONGEST) return undefined
  const code = /^([a-z]{2})(?:[-_][a-z0-9]{2,8})*$/.exec(word)?.[1]
  return code === undefined ? table().codes.get(word) : table().names.has(code) ? code : undefined
}

/** The English name, for a prompt. */
export function languageName(code: string): string {
  return code === KISWAHILI ? 'Kiswahili' : (table().names.get(code) ?? code)
}

type Table = { names: Map<string, string>; codes: Map<string, string> }
let made: Table | undefined

/** The runtime knows the names: all pairs of letters are looked up once. */
function table(): Table {
  if (made !== undefined) return made
  const english = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const names = new Map<string, string>()
  const codes = new Map([['kiswahili', KISWAHILI]])
  for (const first of LETTERS) {
    for (const second of LETTERS) {
      const code = first + second
      const name = english.of(code)
      if (name === undefined) continue
      names.set(code, name)
      // Of a deprecated code and its successor, the successor.
      if (Intl.getCanonicalLocales(code)[0] === code) codes.set(name.toLowerCase(), code)
    }
  }
  made = { names, codes }
  return made
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
