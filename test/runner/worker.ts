import { join } from 'node:path'
import { afterEach, beforeEach, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { dropDatabases } from '../support/databases.ts'
import { endFile } from '../support/end-of-file.ts'
import { cpuMsOf } from './cpu.ts'
import type { FromWorker } from './messages.ts'

/**
 * Runs the test files that the runner names, one after the other, until it disconnects. What they
 * import is compiled once for all of them.
 */
const root = join(import.meta.dirname, '../..')

process.on('message', (file: string) => void runFile(file))
tell({ kind: 'ready' })

async function runFile(file: string): Promise<void> {
  const startedMs = performance.now()
  const cpuBeforeMs = cpuMsOf(process.pid)
  await describe(file, async () => {
    beforeEach((t) => tell({ kind: 'begun', test: nameOf(t) }))
    afterEach((t) => tell({ kind: 'ended', test: nameOf(t) }))
    await import(pathToFileURL(join(root, file)).href)
  })
  await endFile()
  await dropDatabases()
  tell({
    kind: 'done',
    wallMs: performance.now() - startedMs,
    cpuMs: cpuMsOf(process.pid) - cpuBeforeMs,
  })
}

/** Without the file's own name, which stands before it. */
function nameOf({ fullName = '' }: { fullName?: string }): string {
  return fullName.split(' > ').slice(1).join(' > ')
}

function tell(message: FromWorker): void {
  process.send!(message)
}
