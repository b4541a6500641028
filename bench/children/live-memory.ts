import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { noteFile } from '../chat/process-stats.ts'

/* Loaded into a process: at the signal it collects its garbage and notes the KiB that are left. */

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

process.on('SIGUSR2', () => {
  // What the first one finds is in part let go by the second.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(noteFile(process.pid), `${(heapUsed + external) / 1024}\n`)
})
