import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Manifest, Progress } from './archive.ts'
import { tarHeader, tarPadding } from './tar.ts'

/** Gives the pieces of an archive one after another, and lists each file with its hash. */
export function archiveWriter(manifest: Manifest, progress: Progress = () => {}) {
  let done = 0
  let total = 0
  const note = (name: string, size: number, sha256: string) => {
    manifest.files.push({ name, size, sha256 })
  }

  function* bytes(name: string, content: Buffer): Generator<Buffer> {
    note(name, content.length, createHash('sha256').update(content).digest('hex'))
    yield tarHeader({ name, size: content.length, kind: 'file' })
    yield content
    yield tarPadding(content.length)
  }

  /** As long as it was when it was opened: the log knows what happened to it since. */
  async function* file(name: string, path: string): AsyncGenerator<Buffer> {
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (handle === undefined) return
    try {
      const { size } = await handle.stat()
      const hash = createHash('sha256')
      yield tarHeader({ name, size, kind: 'file' })
      for (let at = 0; at < size;) {
        const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - at))
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
        // Cut short meanwhile: the rest are zeros.
        const part = bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead)
        hash.update(part)
        at += part.length
        done += part.length
        progress(done, Math.max(done, total))
        yield part
      }
      yield tarPadding(size)
      note(name, size, hash.digest('hex'))
    } finally {
      await handle.close()
    }
  }

  return {
    bytes,
    file,
    text: (name: string, content: string) => bytes(name, Buffer.from(content)),
    expect: (size: number) => void (total = size),
  }
}

export type Writer = ReturnType<typeof archiveWriter>

const CHUNK_BYTES = 256 * 1024
