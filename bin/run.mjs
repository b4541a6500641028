// Runs a TypeScript file of this project on the pinned Node, whatever Node was typed.
// Plain JavaScript on purpose: it must start on any Node from 20 on.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [target, ...args] = process.argv.slice(2)
const pinned = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')

if (Number(process.versions.node.split('.')[0]) >= 24) {
  module.enableCompileCache?.()
  process.argv = [process.argv[0], resolve(root, target), ...args]
  await import(pathToFileURL(resolve(root, target)).href)
} else if (existsSync(pinned)) {
  const child = spawn(
    pinned,
    [...process.execArgv, fileURLToPath(import.meta.url), target, ...args],
    { stdio: 'inherit' },
  )
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
