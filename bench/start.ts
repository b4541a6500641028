import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildPages } from '../test/console/support/build-pages.ts'
import { startReplica, type Replica } from '../test/support/replica.ts'
import type { Bench, Row } from './row.ts'
import { proportionalMb, treeOf } from './start/memory.ts'
import { median } from './statistics.ts'

const ROUNDS = 5
const REST_MS = 10_000
const SAMPLE_EVERY_MS = 40
const GOALS = { firstS: 4, laterS: 2, restMb: 230, peakMb: 300 }

/** The default set-up: how soon it serves, and what service and database need together. */
export const start: Bench = {
  name: 'start',
  async run() {
    // As in an image; `bench -- console` has what building them takes.
    await buildPages()
    const firstS: number[] = []
    const laterS: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await inNewFolder(async (dataDir) => {
        firstS.push(await secondsTo(dataDir))
        laterS.push(await secondsTo(dataDir))
      })
    }
    const { peakMb, restMb } = await inNewFolder(memoryIn)
    return [
      row('first start, until it serves', median(firstS), 's', GOALS.firstS),
      row('later start, until it serves', median(laterS), 's', GOALS.laterS),
      row('service and database at rest, by their share', restMb, 'MB', GOALS.restMb),
      row('peak of the first start, by their share', peakMb, 'MB', GOALS.peakMb),
    ]
  },
}

async function secondsTo(dataDir: string): Promise<number> {
  const startedMs = performance.now()
  const service = await startReplica(settings(dataDir))
  const tookMs = performance.now() - startedMs
  await stop(service)
  return tookMs / 1_000
}

/** Apart from the times: reading the memory slows a start down. */
async function memoryIn(dataDir: string): Promise<{ peakMb: number; restMb: number }> {
  let peakMb = 0
  let pid: number | undefined
  const sampling = setInterval(() => {
    if (pid !== undefined) peakMb = Math.max(peakMb, proportionalMb(treeOf(pid)))
  }, SAMPLE_EVERY_MS)
  const service = await startReplica(settings(dataDir), (started) => (pid = started))
  await sleep(REST_MS)
  clearInterval(sampling)
  const restMb = proportionalMb(treeOf(service.pid))
  await stop(service)
  return { peakMb, restMb }
}

/** What Node keeps of compiled code is new with the folder: a first start has none. */
function settings(dataDir: string): Record<string, string> {
  return { DATA_DIR: dataDir, NODE_COMPILE_CACHE: `${dataDir}.compiled` }
}

async function inNewFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mlango-start-'))
  // For root the server is another user, who must be able to enter.
  await chmod(folder, 0o755)
  return work(join(folder, 'data')).finally(() => rm(folder, { recursive: true, force: true }))
}

async function stop(service: Replica): Promise<void> {
  service.kill('SIGTERM')
  await service.ended
}

function row(what: string, value: number, unit: string, goal: number): Row {
  const ratio = { of: `the goal of ${goal} ${unit}`, value: value / goal, atMost: 1 }
  return { what, value, unit, ratio }
}
