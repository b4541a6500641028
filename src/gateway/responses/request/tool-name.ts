import { createHash } from 'node:crypto'

const FITTING = /^[a-zA-Z0-9_-]{1,64}$/
const LONGEST = 64
const HASH_LETTERS = 8

/**
 * The one name under which a model knows a tool. The namespace `functions` is that of tools which
 * have none.
 */
export function chatToolName(name: string, namespace: string | undefined): string {
  if (namespace === undefined || namespace === '' || namespace === 'functions') return fitted(name)
  return fitted(namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`)
}

/** Models take 64 plain letters: the rest of a name is told by its hash, the same every time. */
function fitted(name: string): string {
  if (FITTING.test(name)) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LETTERS)
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - HASH_LETTERS - 1)
  return `${plain}_${hash}`
}
