/** What a process did to its files, as `unsynced.c` wrote it down. Files and folders go by inode. */
export type FileOp =
  | { op: 'link'; inode: number; parent: number; name: string; kind: 'file' | 'folder' | 'symlink' }
  | { op: 'unlink'; inode: number; parent: number; name: string }
  | { op: 'rename'; inode: number; from: Place; to: Place }
  | { op: 'write'; inode: number; at: number; bytes: Buffer }
  | { op: 'truncate'; inode: number; size: number }
  | { op: 'allocate'; inode: number; at: number; size: number }
  | { op: 'sync'; inode: number }
  | { op: 'unknown'; inode: number; what: string }

type Place = { parent: number; name: string }

const HEADER_BYTES = 48
const KINDS = ['file', 'folder', 'symlink'] as const

/** One after the other, with their places; what stands from `end` on happened after the power was gone. */
export function* readJournal(
  journal: Buffer,
  start = 0,
  end = journal.length,
): Generator<{ at: number; op: FileOp }> {
  for (let at = start; at + HEADER_BYTES <= end;) {
    const body = at + HEADER_BYTES
    const next = body + journal.readUInt32LE(at + 4)
    if (next > end) return
    yield { at, op: parse(journal.subarray(at, body), journal.subarray(body, next)) }
    at = next
  }
}

function parse(header: Buffer, rest: Buffer): FileOp {
  const [inode, parent, other, at, size] = [8, 16, 24, 32, 40].map((from) =>
    Number(header.readBigUInt64LE(from)),
  ) as [number, number, number, number, number]
  switch (header.readUInt32LE(0)) {
    case 1:
      return { op: 'link', inode, parent, name: String(rest), kind: KINDS[size]! }
    case 2:
      return { op: 'unlink', inode, parent, name: String(rest) }
    case 3: {
      const [from = '', to = ''] = String(rest).split('/')
      return { op: 'rename', inode, from: { parent, name: from }, to: { parent: other, name: to } }
    }
    case 4:
      return { op: 'write', inode, at, bytes: rest }
    case 5:
      return { op: 'truncate', inode, size }
    case 6:
      return { op: 'allocate', inode, at, size }
    case 7:
      return { op: 'sync', inode }
    default:
      return { op: 'unknown', inode, what: String(rest) }
  }
}
