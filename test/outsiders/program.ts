import { execFile } from 'node:child_process'

const LONGEST_MS = 300_000

type Options = { cwd?: string; env?: Record<string, string> }

/** What a program wrote to its output, whatever it ended with. Throws when it could not run or took too long. */
export function outputOf(command: string, args: string[], options: Options = {}): Promise<string> {
  const env = { ...process.env, ...options.env }
  const limits = { timeout: LONGEST_MS, maxBuffer: 256 * 2 ** 20 }
  return new Promise((done, failed) => {
    execFile(command, args, { ...options, ...limits, env }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') failed(error)
      else if (stdout === '' && error !== null) failed(new Error(`${command}: ${stderr}`))
      else done(stdout)
    })
  })
}

/** The same for a program that must end well. */
export function mustRun(command: string, args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    execFile(command, args, { timeout: 2 * LONGEST_MS, maxBuffer: 64 * 2 ** 20 }, (error) =>
      error === null ? done() : failed(error),
    )
  })
}
