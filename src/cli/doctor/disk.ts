import { statfs } from 'node:fs/promises'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

const PART = 'disk'
const SCARCE_SHARE = 0.1
const SCARCE_BYTES = 5e9
const URGENT_BYTES = 1e9

/** Of a file system, in bytes. */
export type Room = { free: number; total: number }

/** How much room the data folder's file system has. */
export async function examineDisk(
  folder: string,
  measure: (folder: string) => Promise<Room> = roomOf,
): Promise<Diagnosis[]> {
  const { free, total } = await measure(folder)
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1)
  const says = `${gigabytes(free)} of ${gigabytes(total)} GB are free where DATA_DIR is.`
  const cure = 'Make room or a larger disk: a database on a full disk takes no more payments.'
  if (free < URGENT_BYTES) return [bad(PART, says, cure)]
  if (free < SCARCE_BYTES && free < total * SCARCE_SHARE) return [note(PART, says, cure)]
  return [good(PART, says)]
}

async function roomOf(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, total: blocks * bsize }
}
