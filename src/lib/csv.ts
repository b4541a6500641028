import { PassThrough, type Readable } from 'node:stream'

export type Cell = string | number | bigint | undefined

export function csvLine(cells: Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

/** Spreadsheets run text that begins like a formula; an apostrophe prevents it. Numbers are safe. */
function cellText(cell: Cell): string {
  const text = String(cell ?? '')
  const risky = /^[=+\-@\t\r\n]/.test(text) && !/^[-+]\d+(\.\d+)?$/.test(text)
  const harmless = risky ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Takes the next piece when there is room. Rejects when the reader is gone. */
export type WritePiece = (text: string) => Promise<void>

/** A reader that takes nothing for this long is gone, whatever its socket says. */
const STALLED_MS = 60_000

/** What `work` writes, at the pace of whoever reads it. If `work` fails, the stream breaks off. */
export function streamOf(work: (write: WritePiece) => Promise<unknown>): Readable {
  const out = new PassThrough()
  work(async (text) => {
    if (out.destroyed) throw new Error('The reader is gone.')
    if (!out.write(text)) await roomIn(out)
  }).then(
    () => out.end(),
    (error: Error) => out.destroy(error),
  )
  return out
}

function roomIn(out: PassThrough): Promise<void> {
  return new Promise((done) => {
    const stalled = setTimeout(() => out.destroy(), STALLED_MS)
    const go = () => {
      clearTimeout(stalled)
      out.off('drain', go).off('close', go)
      done()
    }
    out.on('drain', go).on('close', go)
  })
}
