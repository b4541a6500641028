// Runs a TypeScript file of this project on the pinned Node, whatever Node was typed.
// Plain JavaScript on purpose: it must start on any Node from 20 on.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * V8's options for the service, however it is started; WORKERS inherit them.
 * - One helper thread instead of four: on two cores more of them keep the serving thread waiting for
 *   up to 8 ms at a time.
 * - Objects that belong to a call are not taken for long-lived because many calls run at once:
 *   collecting them again costs 50 to 75 ms of the serving thread.
 */
const SERVICE_OPTIONS = ['--v8-pool-size=1', '--no-allocation-site-pretenuring']

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [target, ...args] = process.argv.slice(2)
const pinned = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
const missing = (target === 'src/main.ts' ? SERVICE_OPTIONS : []).filter(
  (option) => !process.execArgv.includes(option),
)
const command = [...process.execArgv, ...missing, fileURLToPath(import.meta.url), target, ...args]

if (Number(process.versions.node.split('.')[0]) >= 24) {
  // Options are fixed when a process starts, so it becomes a new one under the same number.
  if (missing.length > 0 && process.platform !== 'win32') {
    process.execve(process.execPath, [process.execPath, ...command], process.env)
  }
  module.enableCompileCache?.()
  process.argv = [process.argv[0], resolve(root, target), ...args]
  await import(pathToFileURL(resolve(root, target)).href)
} else if (existsSync(pinned)) {
  const child = spawn(pinned, command, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
} else {
  console.error(
    `Mlango needs Node 24 or later here (this is ${process.version}). ` +
      'Run "npm ci" to get the pinned one on Linux, or install Node 24.',
  )
  process.exitCode = 1
}
