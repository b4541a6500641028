import { Readable } from 'node:stream'
import type { Db, Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'
import type { Answer, Claim, EarlyBody } from '../lib/answer.ts'

/** How a stored answer is put together: its pieces, and the part that was known only in the commit. */
type Splice = { bytes: number; head: number; middle: Buffer; tail: number }

const PIECE_LENGTH = 1024 * 1024

/**
 * Writes a large body in pieces, each in a statement of its own: no value is huge, nobody waits long
 * for a connection, and the commit that charges stays short. Written again, it changes nothing.
 */
export async function writePieces(tx: Tx, claim: Claim, body: string | Buffer): Promise<EarlyBody> {
  let [no, bytes] = [0, 0]
  for (const piece of piecesOf(body)) {
    await tx.query(
      `insert into stored_answer_pieces (claim_id, no, bytes) values ($1, $2, $3) on conflict do nothing`,
      [claim.id, no++, piece],
    )
    bytes += piece.length
  }
  return { body, bytes }
}

/** What of the pieces is right, now that the body is known: all of them, unless the charge differs. */
export function spliceOf(early: EarlyBody, body: string | Buffer): Splice {
  const { bytes } = early
  if (early.body === body) return { bytes, head: bytes, middle: Buffer.alloc(0), tail: 0 }
  const [written, wanted] = [Buffer.from(early.body as string), Buffer.from(body as string)]
  const most = Math.min(written.length, wanted.length)
  const head = longest(most, (low, high) => same(written, low, wanted, low, high - low))
  const tail = longest(most - head, (low, high) =>
    same(written, written.length - high, wanted, wanted.length - high, high - low),
  )
  return { bytes, head, middle: wanted.subarray(head, wanted.length - tail), tail }
}

export type StoredRow = {
  claim_id: string
  status: number
  headers: Record<string, string>
  body: Buffer
} & ({ pieces_bytes: null } | { pieces_bytes: bigint; pieces_head: bigint; pieces_tail: bigint })

/** A large body comes piece by piece at the reader's pace: one of them is in memory at a time. */
export function storedAnswer(db: Db, accountId: string, row: StoredRow): Answer {
  const { status, headers, body } = row
  if (row.pieces_bytes === null) return { status, headers, body }
  const [head, tail] = [Number(row.pieces_head), Number(row.pieces_tail)]
  const readPiece = (no: number) => db.inTurn(accountId, () => pieceOf(db, row.claim_id, no))
  const splice = { bytes: Number(row.pieces_bytes), head, middle: body, tail }
  return {
    status,
    headers: { ...headers, 'content-length': String(head + body.length + tail) },
    body: Readable.from(readSpliced(readPiece, splice), { objectMode: false }),
  }
}

async function* readSpliced(
  readPiece: (no: number) => Promise<Buffer>,
  splice: Splice,
): AsyncGenerator<Buffer> {
  const { bytes, head, middle, tail } = splice
  for (let at = 0, no = 0; at < bytes; no++) {
    const piece = await readPiece(no)
    const cut = (place: number) => Math.max(0, Math.min(place - at, piece.length))
    if (cut(head) > 0) yield piece.subarray(0, cut(head))
    // The head ends in this piece, or just before it.
    if (at <= head && head < at + piece.length && middle.length > 0) yield middle
    if (cut(bytes - tail) < piece.length) yield piece.subarray(cut(bytes - tail))
    at += piece.length
  }
  if (head === bytes && middle.length > 0) yield middle
}

async function pieceOf(tx: Tx, claimId: string, no: number): Promise<Buffer> {
  const [row] = await tx.read<{ bytes: Buffer }>(
    'select bytes from stored_answer_pieces where claim_id = $1 and no = $2',
    [claimId, no],
  )
  if (row === undefined) throw new Error('A piece of a stored answer has expired.')
  return row.bytes
}

/** They are written before their answer, and live an hour longer. Returns how many were deleted. */
export async function purgePieces(tx: Tx, most: number): Promise<number> {
  const where = `written_at < now() - interval '25 hours'`
  return deleteOldest(tx, most, { table: 'stored_answer_pieces', where, order: 'written_at' })
}

function* piecesOf(body: string | Buffer): Generator<Buffer> {
  for (let at = 0, end = 0; at < body.length; at = end) {
    end = Math.min(at + PIECE_LENGTH, body.length)
    if (typeof body !== 'string') yield body.subarray(at, end)
    else {
      // Half of a surrogate pair cannot be written: both halves go into the next piece.
      if (end < body.length && (body.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
      yield Buffer.from(body.slice(at, end))
    }
  }
}

/** The longest length, up to `most`, over which `agree` holds; by halves, each part looked at once. */
function longest(most: number, agree: (low: number, high: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (agree(low, middle)) low = middle
    else high = middle - 1
  }
  return low
}

function same(a: Buffer, aFrom: number, b: Buffer, bFrom: number, length: number): boolean {
  return a.compare(b, bFrom, bFrom + length, aFrom, aFrom + length) === 0
}
