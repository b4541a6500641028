import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from './program.ts'

/** What is installed once and kept: outside the sources and outside the packages of the service. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/outsiders')
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund']
const CONSTRAINTS = join(import.meta.dirname, 'python/constraints.txt')

/** The `node_modules` folder with these packages, `name@version`. None of their scripts runs. */
export async function npmPackages(...specs: string[]): Promise<string> {
  const folder = await installed(specs, (prefix) =>
    mustRun('npm', ['install', '--prefix', prefix, ...QUIET, ...specs]),
  )
  return join(folder, 'node_modules')
}

/** The folder of programs of a Python that has these packages, `name==version`. */
export async function pythonPackages(...specs: string[]): Promise<string> {
  const folder = await installed(specs, async (prefix) => {
    await mustRun('python3', ['-m', 'venv', prefix])
    await mustRun(join(prefix, 'bin/pip'), ['install', '--quiet', '-c', CONSTRAINTS, ...specs])
  })
  return join(folder, 'bin')
}

async function installed(
  specs: string[],
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(CACHE, specs.join('+').replaceAll(/[^\w.+-]+/g, '-'))
  const whole = join(folder, 'installed')
  if (existsSync(whole)) return folder
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await install(folder)
  await writeFile(whole, '')
  return folder
}
