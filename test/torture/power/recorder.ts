import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from '../../../src/db/local/binaries.ts'
import { openHome } from '../../../src/db/local/home.ts'
import { processesIn } from '../../../src/db/local/leftovers.ts'

/** One life of a service and its server, with everything they do to their files written down. */
export type Recording = {
  /** Settles with the length of the journal when the server served; throws if it never did. */
  ready: Promise<number>
  journal(): Buffer
  /** What had been acknowledged when the journal was so long. */
  acknowledgedBy(length: number): string[]
  /** Ends everything, by force or politely. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

export function hasCompiler(): boolean {
  return spawnSync('cc', ['--version']).status === 0
}

/** Compiles the library that writes down, once for a run. */
export function openRecorder(folder: string) {
  chmodSync(folder, 0o755)
  const library = join(folder, 'unsynced.so')
  const source = join(import.meta.dirname, 'unsynced.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  let recordings = 0

  return {
    record(dataDir: string, settings: Record<string, string>, accounts: string[]): Recording {
      const journal = join(folder, `journal-${++recordings}`)
      writeFileSync(journal, '')
      // The server is another user when this is root.
      chmodSync(journal, 0o666)
      const env = {
        LD_PRELOAD: library,
        UNSYNCED_FOLDER: dataDir,
        UNSYNCED_JOURNAL: journal,
      }
      const binDir = wrappers(folder, recordings, env)
      return start({ dataDir, binDir, settings, accounts, env, journal })
    },
  }
}

/** The packaged programs, each as a script that loads the library first. */
function wrappers(folder: string, nth: number, env: Record<string, string>): string {
  const place = join(folder, 'programs')
  const { as, folder: home } = openHome(place)
  const binaries = findBinaries({ home, as })
  const bin = join(folder, `bin-${nth}`)
  mkdirSync(bin)
  const variables = Object.entries({ ...binaries.env, ...env })
    .map(([name, value]) => `${name}='${value}'`)
    .join(' ')
  for (const name of ['postgres', 'initdb'] as const) {
    const script = `#!/bin/sh\n${variables} exec '${binaries[name]}' "$@"\n`
    writeFileSync(join(bin, name), script, { mode: 0o755 })
  }
  return bin
}

function start(options: {
  dataDir: string
  binDir: string
  settings: Record<string, string>
  accounts: string[]
  env: Record<string, string>
  journal: string
}): Recording {
  const { dataDir, binDir, settings, accounts, env, journal } = options
  const file = join(import.meta.dirname, 'children/earn.ts')
  const args = [file, dataDir, binDir, JSON.stringify(settings), ...accounts]
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  const words: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => words.push(line))
  const acknowledged: { key: string; length: number }[] = []
  const closed = once(child, 'close').then(() => process.off('exit', stop))
  const ready = new Promise<number>((done, fail) => {
    createInterface({ input: child.stdout }).on('line', (key) => {
      // Never less than it was when the line was written.
      const length = statSync(journal).size
      if (key === 'ready') done(length)
      else acknowledged.push({ key, length })
    })
    void closed.then(() => fail(new Error(words.join('\n'))))
  })
  return {
    ready,
    journal: () => readFileSync(journal),
    acknowledgedBy: (length) =>
      acknowledged.filter((one) => one.length <= length).map(({ key }) => key),
    async end(signal) {
      child.kill(signal)
      await closed
      await serverGone(dataDir, signal)
    },
  }
}

/** The server of a killed service ends by itself; here it is ended as hard as the rest. */
async function serverGone(dataDir: string, signal: NodeJS.Signals): Promise<void> {
  const folders = ['postgres', 'postgres.new'].map((name) => join(dataDir, name))
  for (;;) {
    const left = folders.filter(existsSync).flatMap(processesIn)
    if (left.length === 0) return
    for (const pid of signal === 'SIGKILL' ? left : []) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Gone by itself.
      }
    }
    await sleep(10)
  }
}
