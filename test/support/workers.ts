import { globSync, readFileSync } from 'node:fs'

/** The process numbers of the workers of one supervisor, from the kernel. */
export function workersOf(supervisor: number): number[] {
  return globSync('/proc/[0-9]*/stat').flatMap((file) => {
    const text = readOrEmpty(file)
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (Number(parent) !== supervisor || state === 'Z') return []
    // The supervisor has other children: its database, and the build of the pages.
    const isWorker = readOrEmpty(file.replace(/stat$/, 'environ')).includes('NODE_UNIQUE_ID=')
    return isWorker ? [Number(file.split('/')[2])] : []
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
