import type { Random } from '../load/random.ts'
import type { FileOp } from './journal.ts'

/** A change of one file that is lost with the power unless it is synced. */
export type Change = Extract<FileOp, { op: 'write' | 'truncate' | 'allocate' }>

export type FileBytes = { view(): Buffer; change(change: Change): void }

/** What a disk writes as a whole or not at all. */
const SECTOR_BYTES = 512

export function fileBytes(start: Buffer): FileBytes {
  let room = start
  let size = start.length
  const grow = (to: number) => {
    if (to > room.length) {
      const more = Buffer.alloc(Math.max(to, room.length * 2))
      room.copy(more, 0, 0, size)
      room = more
    }
    if (to > size) size = to
  }
  return {
    view: () => room.subarray(0, size),
    change(change) {
      if (change.op === 'write') {
        grow(change.at + change.bytes.length)
        change.bytes.copy(room, change.at)
      } else if (change.op === 'allocate') grow(change.at + change.size)
      else if (change.size > size) grow(change.size)
      else {
        room.fill(0, change.size, size)
        size = change.size
      }
    },
  }
}

/** The file with this share of its unsynced sectors, chosen by chance: pages may be torn. */
export function torn(
  synced: FileBytes,
  unsynced: Change[],
  { share, random }: { share: number; random: Random },
): Buffer {
  if (share === 0 || unsynced.length === 0) return synced.view()
  const bytes = fileBytes(Buffer.from(synced.view()))
  for (const change of unsynced) {
    const parts = change.op === 'write' ? sectors(change) : [change]
    for (const part of parts) if (share === 1 || random.chance(share)) bytes.change(part)
  }
  return bytes.view()
}

function* sectors(write: Extract<Change, { op: 'write' }>): Generator<Change> {
  const end = write.at + write.bytes.length
  for (let at = write.at; at < end;) {
    const until = Math.min(at - (at % SECTOR_BYTES) + SECTOR_BYTES, end)
    yield { ...write, at, bytes: write.bytes.subarray(at - write.at, until - write.at) }
    at = until
  }
}
