import { createHash, type Hash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { ABOUT, MANIFEST, type About, type Manifest, type Progress } from './archive.ts'
import { BLOCK_BYTES, readTarHeader, tarPadding, type TarEntry } from './tar.ts'
import { DatabaseError } from '../local/database-error.ts'

type Unpacked = { about: About; masterKey: string | undefined }

/** Unpacks a backup into a folder and holds every file against the list at its end. */
export async function readArchive(
  file: string,
  folder: string,
  options: { accept: (about: About) => void; progress?: Progress | undefined },
): Promise<Unpacked> {
  const input = byteReader(file, options.progress)
  const seen = new Map<string, { size: number; sha256: string }>()
  let about: About | undefined
  let masterKey: string | undefined
  try {
    for (;;) {
      const entry = readTarHeader(await input.take(BLOCK_BYTES))
      if (entry === undefined) throw broken(file)
      if (about === undefined) {
        if (entry.name !== ABOUT) throw foreign(file)
        about = asAbout(await note(entry), file)
        options.accept(about)
      } else if (entry.name === MANIFEST) {
        const manifest = JSON.parse(await note(entry)) as Manifest
        seen.delete(MANIFEST)
        if (!agrees(manifest, seen)) throw broken(file)
        return { about, masterKey }
      } else if (entry.name === 'master.key') masterKey = await note(entry)
      else await unpack(entry, partOf(entry.name, folder, file))
    }
  } catch (error) {
    if (error instanceof DatabaseError || (error as NodeJS.ErrnoException).syscall) throw error
    // Not compressed, cut off, or no archive at all.
    throw about === undefined ? foreign(file) : broken(file, error)
  } finally {
    input.close()
  }

  /** A small entry, in memory. */
  async function note(entry: TarEntry): Promise<string> {
    if (entry.size > MOST_NOTE_BYTES) throw broken(file)
    const hash = createHash('sha256')
    const parts: Buffer[] = []
    for await (const part of content(entry, hash)) parts.push(part)
    return Buffer.concat(parts).toString()
  }

  async function unpack(entry: TarEntry, path: string): Promise<void> {
    await mkdir(entry.kind === 'folder' ? path : dirname(path), { recursive: true, mode: 0o700 })
    if (entry.kind === 'folder') return
    const handle = await open(path, 'wx', 0o600)
    try {
      for await (const part of content(entry, createHash('sha256'))) await handle.write(part)
    } finally {
      await handle.close()
    }
  }

  async function* content(entry: TarEntry, hash: Hash): AsyncGenerator<Buffer> {
    for (let left = entry.size; left > 0;) {
      const part = await input.some(left)
      left -= part.length
      hash.update(part)
      yield part
    }
    await input.take(tarPadding(entry.size).length)
    seen.set(entry.name, { size: entry.size, sha256: hash.digest('hex') })
  }
}

const MOST_NOTE_BYTES = 256 * 1024 * 1024

/** Only names that a backup of ours can hold: nothing above or outside the folder. */
function partOf(name: string, folder: string, file: string): string {
  const parts = name.split('/')
  const isPlain = parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(part))
  if (!isPlain || parts[0] !== 'postgres' || parts.length < 2) throw foreign(file)
  return join(folder, ...parts.slice(1))
}

function asAbout(text: string, file: string): About {
  const about = JSON.parse(text) as About
  if (about.format !== 'mlango-backup-1' || !/^\d+$/.test(about.major)) throw foreign(file)
  return about
}

function agrees(manifest: Manifest, seen: Map<string, { size: number; sha256: string }>): boolean {
  const listed = new Map(manifest.files.map((one) => [one.name, one]))
  return (
    listed.size === seen.size &&
    [...seen].every(([name, { size, sha256 }]) => {
      const one = listed.get(name)
      return one?.size === size && one.sha256 === sha256
    })
  )
}

/** The unpacked bytes, as many at a time as are asked for. */
function byteReader(file: string, progress: Progress = () => {}) {
  const source = createReadStream(file)
  const total = statSync(file).size
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  const chunks = gunzip[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)

  async function some(most: number): Promise<Buffer> {
    while (rest.length === 0) {
      const next = await chunks.next()
      if (next.done) throw new Error('The archive ends too early.')
      rest = next.value
      progress(source.bytesRead, total)
    }
    const part = rest.subarray(0, most)
    rest = rest.subarray(part.length)
    return part
  }

  return {
    some,
    async take(size: number): Promise<Buffer> {
      const parts: Buffer[] = []
      for (let left = size; left > 0; left -= parts.at(-1)!.length) parts.push(await some(left))
      return Buffer.concat(parts)
    },
    close() {
      source.destroy()
      gunzip.destroy()
    },
  }
}

function foreign(file: string): DatabaseError {
  return new DatabaseError(`${file} is not a backup made by "mlango backup". Nothing was restored.`)
}

function broken(file: string, cause?: unknown): DatabaseError {
  return new DatabaseError(
    `The backup ${file} is cut off or damaged. Take another copy of it; nothing was restored.`,
    { cause },
  )
}
