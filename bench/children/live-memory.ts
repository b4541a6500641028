import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { liveFile } from '../chat/process-stats.ts'

/* Loaded into a process that is measured: when told to, it collects its garbage and notes what is left. */

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

process.on('SIGUSR2', () => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(liveFile(process.pid), `${heapUsed + external}\n`)
})
