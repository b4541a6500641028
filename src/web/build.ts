import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Log } from '../lib/log.ts'
import type { ConsoleFolders } from './folders.ts'

const BUILDER = resolve(import.meta.dirname, '../../bin/console-build.ts')
const LONGEST_OUTPUT = 4_000

type BuildParts = {
  folders: ConsoleFolders
  log: Log
  /** The script that builds into the folder it is given. */
  builder?: string
}

export type ConsoleBuild = { done: Promise<void>; stop(): void }

/**
 * Builds the pages when none fit the sources, in a process of its own: the API is not kept waiting,
 * and visitors see a note when the build has failed.
 */
export function buildConsole({ folders, log, builder = BUILDER }: BuildParts): ConsoleBuild {
  const { hash, places } = folders
  const stopping = new AbortController()
  const build = async () => {
    if (places.some((place) => existsSync(join(place, hash)))) return
    const target = join(places[1], hash)
    const note = `${target}.failed`
    await mkdir(places[1], { recursive: true })
    await rm(note, { force: true })
    const began = performance.now()
    const { code, output } = await runBuilder(builder, target, stopping.signal)
    if (stopping.signal.aborted) return
    if (code === 0) {
      const duration_ms = Math.round(performance.now() - began)
      return log.info('The pages of the console are built.', { duration_ms })
    }
    await writeFile(note, output)
    throw new Error(output)
  }
  const done = build().catch((error: unknown) =>
    log.error('The pages of the console could not be built. The API is not affected.', { error }),
  )
  return { done, stop: () => stopping.abort() }
}

function runBuilder(
  builder: string,
  target: string,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [builder, target], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  let output = ''
  const take = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-LONGEST_OUTPUT)
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  return new Promise((settle) => {
    child.once('error', (error) => settle({ code: null, output: error.message }))
    child.once('close', (code) => settle({ code, output }))
  })
}
