import { globSync, readFileSync } from 'node:fs'

/** The process numbers of the workers of one supervisor, from the kernel. */
export function workersOf(supervisor: number): number[] {
  return globSync('/proc/[0-9]*/stat').flatMap((file) => {
    const text = readOrEmpty(file)
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const isNode = text.includes('(node') || text.includes('(MainThread)')
    return Number(parent) === supervisor && state !== 'Z' && isNode
      ? [Number(file.split('/')[2])]
      : []
  })
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It ended meanwhile.
    return ''
  }
}
