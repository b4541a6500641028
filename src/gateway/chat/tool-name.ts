import { sha256 } from '../../lib/secrets.ts'

const FITTING = /^[a-zA-Z0-9_-]{1,64}$/
const LONGEST = 64
const HASH_LETTERS = 8

/** Models take 64 plain letters: the rest of a name is told by its hash, the same on every turn. */
export function fittedToolName(name: string): string {
  if (FITTING.test(name)) return name
  const hash = sha256(name).toString('hex').slice(0, HASH_LETTERS)
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - HASH_LETTERS - 1)
  return `${plain}_${hash}`
}
