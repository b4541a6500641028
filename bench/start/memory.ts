import { globSync, readFileSync } from 'node:fs'

/** A process, its descendants, and what shares a session with one of them. */
export function treeOf(root: number): number[] {
  const all = globSync('/proc/[0-9]*/stat').flatMap((file) => {
    try {
      // The name, in parentheses, may contain blanks: fields are counted from behind it.
      const fields = readFileSync(file, 'utf8').split(') ')[1]!.split(' ')
      return [
        { pid: Number(file.split('/')[2]), parent: Number(fields[1]), session: Number(fields[3]) },
      ]
    } catch {
      // The process has ended meanwhile.
      return []
    }
  })
  const tree = new Set([root])
  for (let size = 0; size !== tree.size;) {
    size = tree.size
    // Never a session that began outside: the whole terminal would belong to it.
    for (const { pid, parent, session } of all)
      if (tree.has(parent) || (session !== root && tree.has(session))) tree.add(pid)
  }
  return [...tree]
}

/** Memory by proportional share: what several processes use counts once, divided among them. */
export function proportionalMb(pids: number[]): number {
  return pids.reduce((sum, pid) => sum + shareKiB(pid), 0) / 1024
}

function shareKiB(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0)
  } catch {
    return 0
  }
}
