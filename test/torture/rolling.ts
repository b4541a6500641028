import { setTimeout as sleep } from 'node:timers/promises'
import { ask, freshAgent, type Heard } from './load/ask.ts'
import { newPerson } from './load/person.ts'
import type { World } from './rig/world.ts'

export type RollingReport = {
  restarts: number
  calls: number
  refusedAndRetried: number
  longestDrainMs: number
  /** Calls that were sent and not answered, or answered badly. */
  lost: string[]
}

/**
 * Every process is replaced in turn while clients go on calling. A client turns to the next process
 * only when a connection is refused; a call that was sent must be answered well.
 */
export async function rollingRestart(
  world: World,
  options: { rounds: number; callers: number },
): Promise<RollingReport> {
  const { fleet } = world
  const person = await newPerson(world, '1000000', 900)
  const report: RollingReport = {
    restarts: 0,
    calls: 0,
    refusedAndRetried: 0,
    longestDrainMs: 0,
    lost: [],
  }
  const end = new AbortController()
  const caller = async (nth: number) => {
    for (let i = nth; !end.signal.aborted; i++) {
      const heard = await callOne(world, person.key, i, report)
      report.calls += 1
      if (heard.status !== 200 || !heard.whole) {
        report.lost.push(`${heard.status} ${heard.text.slice(0, 200)}`)
      }
    }
  }
  const calling = Array.from({ length: options.callers }, (_, i) => caller(i))
  for (let round = 0; round < options.rounds; round++) {
    for (const slot of fleet.slots) {
      await sleep(300)
      report.longestDrainMs = Math.max(report.longestDrainMs, await fleet.restart(slot))
      report.restarts += 1
    }
  }
  end.abort()
  await Promise.all(calling)
  return report
}

async function callOne(
  { fleet }: World,
  key: string,
  nth: number,
  report: RollingReport,
): Promise<Heard> {
  for (let tries = 0; ; tries++) {
    const slot = fleet.slots[(nth + tries) % fleet.slots.length]!
    const asked =
      nth % 2 === 0
        ? { line: 'POST /v1/embeddings', body: { model: 'sim/vekta', input: 'a', dimensions: 4 } }
        : { line: 'POST /v1/chat/completions', body: CHAT }
    const heard = await ask(slot.url, { ...asked, token: key, patienceMs: 30_000 }, freshAgent)
    if (!heard.refused || tries > 200) return heard
    report.refusedAndRetried += 1
    await sleep(10)
  }
}

const CHAT = {
  model: 'sim/hekima-mini',
  messages: [{ role: 'user', content: 'Habari' }],
}
