import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCallers } from './chat/callers.ts'
import { startGateways, type Gateway } from './chat/gateways.ts'
import { cpuMs } from './chat/process-stats.ts'
import { chatRequests } from './chat/throughput.ts'
import { startOthers } from './peers/others.ts'
import type { Bench, Row } from './row.ts'
import { proportionalMb, treeOf } from './start/memory.ts'
import { median, quantile } from './statistics.ts'

const ROUNDS = 3
const SECONDS = 2
const CALLERS = 64
const PROMPT = 'Niandikie barua fupi ya kuomba likizo ya siku tatu kazini, kwa heshima. '.repeat(4)

/** Other gateways beside this one, as they come, on the same upstream and machine, in turns. */
export const peers: Bench = {
  name: 'peers',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'mlango-peers-'))
    const gateways = await startGateways({ events: 50, paceMs: 100 })
    const { direct, bare, portkey, ours } = gateways.all
    const others = await startOthers(`http://127.0.0.1:${direct.port}`, folder)
    try {
      const all = [bare, portkey, ours, ...others.map(({ gateway }) => gateway)]
      return [
        ...(await speeds(all, false)),
        ...(await speeds(all, true)),
        ...(await delays(direct, all)),
        ...all.map(memory),
      ]
    } finally {
      for (const other of others) other.stop()
      await gateways.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

type Measured = { perS: number; cpuUs: number }

async function speeds(all: Gateway[], stream: boolean): Promise<Row[]> {
  const rounds = new Map<Gateway, Measured[]>(all.map((gateway) => [gateway, []]))
  // The first round warms everybody up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const gateway of all) {
      const measured = await measure(gateway, stream)
      if (round > 0) rounds.get(gateway)!.push(measured)
    }
  }
  const bare = rounds.get(all[0]!)!
  const what = `${stream ? 'streamed' : 'whole'}, ${CALLERS} callers`
  const ratio = (measured: Measured[], figure: (one: Measured) => number) => ({
    of: 'bare proxy',
    value: median(measured.map((one, i) => figure(one) / figure(bare[i]!))),
  })
  return [...rounds].flatMap(([{ name }, measured]): Row[] => [
    {
      what: `${name}: ${what}`,
      value: median(measured.map(({ perS }) => perS)),
      unit: 'calls/s',
      ratio: ratio(measured, ({ perS }) => perS),
    },
    {
      what: `${name}: ${what}, processor`,
      value: median(measured.map(({ cpuUs }) => cpuUs)),
      unit: 'µs/call',
      ratio: ratio(measured, ({ cpuUs }) => cpuUs),
    },
  ])
}

async function measure(gateway: Gateway, stream: boolean): Promise<Measured> {
  const before = workMs(gateway)
  const { answers, elapsedMs, refused } = await runCallers({
    port: gateway.port,
    requests: chatRequests(gateway, { stream, content: PROMPT }),
    connections: CALLERS,
    seconds: SECONDS,
    endsWith: stream ? 'data: [DONE]' : '"usage":{',
  })
  if (refused > 0) console.log(`  (${gateway.name} refused ${refused} of ${refused + answers})`)
  const cpuUs = ((workMs(gateway) - before) * 1000) / answers
  return { perS: (answers * 1000) / elapsedMs, cpuUs }
}

/** Of all its processes; ours with its database, which is one of them. */
function workMs(gateway: Gateway): number {
  return processesOf(gateway).reduce((sum, pid) => sum + cpuMs(pid), 0)
}

function processesOf({ pid, database }: Gateway): number[] {
  const own = treeOf(pid)
  return database === undefined ? own : [...new Set([...own, ...treeOf(database.pid)])]
}

/** How much later the first byte of a stream comes than from the upstream itself, at a low load. */
async function delays(direct: Gateway, all: Gateway[]): Promise<Row[]> {
  const waits = new Map<Gateway, number[]>()
  for (const gateway of [direct, ...all]) {
    const { firstByteMs } = await runCallers({
      port: gateway.port,
      requests: chatRequests(gateway, { stream: true, content: 'Habari' }),
      connections: 4,
      answersEach: 100,
      pauseMs: 20,
      endsWith: 'data: [DONE]',
    })
    waits.set(gateway, firstByteMs)
  }
  const added = (gateway: Gateway, share: number) =>
    quantile(waits.get(gateway)!, share) - quantile(waits.get(direct)!, share)
  return all.flatMap((gateway): Row[] => [
    {
      what: `${gateway.name}: first byte later by, median`,
      value: added(gateway, 0.5),
      unit: 'ms',
    },
    { what: `${gateway.name}: first byte later by, p99`, value: added(gateway, 0.99), unit: 'ms' },
  ])
}

function memory(gateway: Gateway): Row {
  const value = proportionalMb(processesOf(gateway))
  return { what: `${gateway.name}: memory after all this`, value, unit: 'MB' }
}
