import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Log } from '../lib/log.ts'
import { consoleFolders } from './folders.ts'

const BUILDER = resolve(import.meta.dirname, '../../bin/console-build.ts')

export type ConsoleBuild = { done: Promise<void>; stop(): void }

/**
 * Builds the pages when none fit the sources, in a process of its own: the API is not kept waiting,
 * and a build that fails leaves a note that the pages' place is answered with.
 */
export function buildConsole({ dataDir, log }: { dataDir: string; log: Log }): ConsoleBuild {
  const { hash, places } = consoleFolders(dataDir)
  if (places.some((place) => existsSync(join(place, hash)))) {
    return { done: Promise.resolve(), stop() {} }
  }
  let stop = () => {}
  const build = async () => {
    const target = join(places[1], hash)
    const failed = `${target}.failed`
    await mkdir(places[1], { recursive: true })
    await rm(failed, { force: true })
    const began = performance.now()
    const child = spawn(process.execPath, [BUILDER, target], { stdio: ['ignore', 'pipe', 'pipe'] })
    stop = () => child.kill()
    let output = ''
    const take = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-LONGEST_OUTPUT))
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const code = await new Promise<number | null>((settle) => {
      child.once('error', (error) => ((output += error.message), settle(1)))
      child.once('close', settle)
    })
    const duration_ms = Math.round(performance.now() - began)
    if (code === 0) return log.info('The console is built.', { duration_ms })
    if (child.signalCode !== null) return
    await writeFile(failed, output)
    log.error('The console could not be built. The API is not affected.', {
      error: new Error(output),
    })
  }
  const done = build().catch((error: unknown) =>
    log.error('The console could not be built. The API is not affected.', { error }),
  )
  return { done, stop: () => stop() }
}

const LONGEST_OUTPUT = 4_000
