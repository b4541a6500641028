import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { mlango: string }
}
/** What `npm run mlango` tells Node to run. */
const COMMAND = scripts.mlango.split(' ').slice(1)

export type Printed = { code: number; out: string; err: string }

/** `npm run mlango -- …` with these settings alone, in a process of its own. */
export function runMlango(
  env: Record<string, string | undefined>,
  ...args: string[]
): Promise<Printed> {
  const options = { cwd: ROOT, env: { PATH: process.env.PATH, ...env } }
  return new Promise((done) => {
    const child = execFile(process.execPath, [...COMMAND, ...args], options, (_, out, err) =>
      done({ code: child.exitCode ?? 1, out, err }),
    )
  })
}
