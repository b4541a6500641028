import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { endWithChildren } from './cpu.ts'
import type { FromWorker, TestResult } from './messages.ts'

export type FileReport = {
  file: string
  wallMs: number
  cpuMs: number
  /** In the order of their ends: a suite after its tests, the file last. */
  lines: (TestResult | { depth: number; note: string })[]
}

type Crew = {
  files: string[]
  workers: number
  /** For Node, such as `--test-name-pattern=…`. */
  options: string[]
  env: Record<string, string | undefined>
  onFile: (report: FileReport) => void
  /** A file from which nothing is heard for so long is ended: it hangs. */
  silenceMs: number
}

/** Runs the files, each worker taking the next one when it has done with its last. */
export async function runFiles({ files, workers, ...crew }: Crew): Promise<void> {
  const waiting = [...files]
  const next = () => waiting.shift()
  const count = Math.min(workers, files.length)
  await Promise.all(Array.from({ length: count }, () => keepWorking(next, crew)))
}

/** One worker after the other, should a file end the process that it runs in. */
async function keepWorking(next: () => string | undefined, crew: Omit<Crew, 'files' | 'workers'>) {
  for (let file = next(); file !== undefined; file = next()) {
    const report = await work(file, next, crew)
    if (report !== undefined) crew.onFile(report)
  }
}

/** Until nothing is left; what is known of its file when the process ends before. */
function work(
  first: string,
  next: () => string | undefined,
  { options, env, onFile, silenceMs }: Omit<Crew, 'files' | 'workers'>,
): Promise<FileReport | undefined> {
  const worker = startWorker(options, env)
  let report: FileReport | undefined = begun(first)
  let isDone = false
  const running = new Set<string>()
  const patience = setTimeout(() => {
    report?.lines.push({ depth: 1, note: hung(silenceMs, running) })
    endWithChildren(worker.pid!)
  }, silenceMs)
  const goOn = () => {
    if (!isDone || report?.lines.at(-1)?.depth !== 0) return
    onFile(report)
    const file = next()
    report = file === undefined ? undefined : begun(file)
    isDone = false
    if (file === undefined) worker.disconnect()
    else worker.send(file)
  }
  worker.on('message', (message: FromWorker) => {
    patience.refresh()
    if (message.kind === 'ready') worker.send(first)
    if (message.kind === 'begun') running.add(message.test)
    if (message.kind === 'ended') running.delete(message.test)
    if (message.kind === 'note') report?.lines.push({ depth: message.depth, note: message.text })
    if (message.kind === 'result') report?.lines.push(message.result)
    if (message.kind === 'done') {
      Object.assign(report!, { wallMs: message.wallMs, cpuMs: message.cpuMs })
      isDone = true
    }
    goOn()
  })
  return new Promise((ended) =>
    worker.once('exit', (code, signal) => {
      clearTimeout(patience)
      if (report === undefined) return ended(undefined)
      const error = `The process ended (${signal ?? `code ${code}`}) before the tests did.`
      const failed = { isSuite: true, outcome: 'fail', ms: 0, error } as const
      ended({ ...report, lines: [...report.lines, { name: report.file, depth: 0, ...failed }] })
    }),
  )
}

function hung(silenceMs: number, running: Set<string>): string {
  const tests = running.size === 0 ? 'no test was running' : [...running].join(', ')
  return `Nothing was heard for ${Math.round(silenceMs / 1_000)} s: ${tests}.`
}

function begun(file: string): FileReport {
  return { file, wallMs: 0, cpuMs: 0, lines: [] }
}

const REPORTER = join(import.meta.dirname, 'reporter.ts')

function startWorker(options: string[], env: Crew['env']): ChildProcess {
  return fork(join(import.meta.dirname, 'worker.ts'), [], {
    cwd: join(import.meta.dirname, '../..'),
    execArgv: [`--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout', ...options],
    env,
  })
}
