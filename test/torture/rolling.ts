import { setTimeout as sleep } from 'node:timers/promises'
import { callService, type ClientAnswer } from './load/client.ts'
import { newPerson } from './load/person.ts'
import type { World } from './rig/world.ts'

export type RollingReport = {
  restarts: number
  calls: number
  refusedAndRetried: number
  resetAndRetried: number
  longestDrainMs: number
  /** Calls that were sent and not answered, or answered badly, or begun though not answered. */
  lost: string[]
}

/**
 * Every process is replaced in turn while clients keep calling. A client goes to the next process
 * only when its connection is refused, or reset before an answer. No server can avoid the reset of
 * one that connects between its last look and its close; but then nothing may have begun: each
 * call leaves one record.
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
    resetAndRetried: 0,
    longestDrainMs: 0,
    lost: [],
  }
  const end = new AbortController()
  const caller = async (nth: number) => {
    for (let i = nth; !end.signal.aborted; i++) {
      const answer = await callOne(world, person.key, i, report)
      report.calls += 1
      if (answer.status !== 200 || !answer.whole) {
        report.lost.push(`${answer.status} ${answer.text.slice(0, 200)}`)
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
  const records = await recordsOf(world, person.accountId)
  if (records !== report.calls) report.lost.push(`${records} records of ${report.calls} calls`)
  return report
}

async function recordsOf({ db }: World, accountId: string): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    'select count(*) from activity_records where account_id = $1',
    [accountId],
  )
  return Number(row!.count)
}

async function callOne(
  { fleet }: World,
  key: string,
  nth: number,
  report: RollingReport,
): Promise<ClientAnswer> {
  for (let tries = 0; ; tries++) {
    const slot = fleet.slots[(nth + tries) % fleet.slots.length]!
    const call =
      nth % 2 === 0
        ? {
            endpoint: 'POST /v1/embeddings',
            body: { model: 'sim/vekta', input: 'a', dimensions: 4 },
          }
        : { endpoint: 'POST /v1/chat/completions', body: CHAT }
    const answer = await callService(slot.url, { ...call, token: key, patienceMs: 30_000 }, 'fresh')
    if (!(answer.refused || answer.reset) || tries > 200) return answer
    if (answer.refused) report.refusedAndRetried += 1
    else report.resetAndRetried += 1
    await sleep(10)
  }
}

const CHAT = {
  model: 'sim/hekima-mini',
  messages: [{ role: 'user', content: 'Habari' }],
}
