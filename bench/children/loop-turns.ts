import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { noteFile } from '../chat/process-stats.ts'

/* Loaded into a process: at the signal it notes the longest turn of its event loop so far, in ms. */

const RESOLUTION_MS = 5
const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
turns.enable()

process.on('SIGUSR2', () => {
  writeFileSync(noteFile(process.pid), `${turns.max / 1e6}\n`)
  turns.reset()
})
