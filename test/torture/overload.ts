import { setTimeout as sleep } from 'node:timers/promises'
import { ask, freshAgent, type Heard } from './load/ask.ts'
import { newPerson } from './load/person.ts'
import type { World } from './rig/world.ts'

export type OverloadReport = {
  served: number
  shed: number
  healthChecks: number
  slowestHealthMs: number
  streams: number
  rssMb: number
  violations: string[]
}

/** What a process may run at once in this part; ten times as much comes. */
export const CAPACITY = 40

/**
 * More calls than one process can carry, on an upstream that takes its time: the rest are told to
 * come back, liveness answers, streams that run come to their end, and afterwards all is as before.
 */
export async function overload(world: World, rounds: number): Promise<OverloadReport> {
  const { url } = world.fleet.slots[0]!
  const { key } = await newPerson(world, '1000000', 800)
  const report: OverloadReport = {
    served: 0,
    shed: 0,
    healthChecks: 0,
    slowestHealthMs: 0,
    streams: 0,
    rssMb: 0,
    violations: [],
  }
  const end = new AbortController()
  const watching = watchHealth(url, report, end.signal)
  for (let round = 0; round < rounds; round++) {
    const streams = Array.from({ length: 5 }, () => stream(url, key))
    await sleep(150)
    world.upstream.slow(400)
    const flood = Array.from({ length: CAPACITY * 10 }, () => call(url, key))
    for (const heard of await Promise.all(flood)) count(heard, report)
    await world.upstream.heal()
    for (const heard of await Promise.all(streams)) {
      report.streams += 1
      const whole = heard.whole && heard.text.trimEnd().endsWith('data: [DONE]')
      if (!whole)
        report.violations.push(`a stream broke: ${heard.status} ${heard.text.slice(-200)}`)
    }
  }
  end.abort()
  await watching
  const after = await call(url, key)
  if (after.status !== 200) report.violations.push(`afterwards ${after.status}`)
  if (report.shed === 0) report.violations.push('nothing was shed')
  await sleep(600)
  report.rssMb = Math.round((await world.fleet.figures()).rss / 1e6)
  return report
}

function count(heard: Heard, report: OverloadReport): void {
  if (heard.status === 200) report.served += 1
  else if ([429, 503].includes(heard.status) && heard.headers['retry-after'] !== undefined) {
    report.shed += 1
  } else report.violations.push(`${heard.status} ${heard.text.slice(0, 200)}`)
}

async function watchHealth(url: string, report: OverloadReport, signal: AbortSignal) {
  while (!signal.aborted) {
    const startedMs = performance.now()
    const { status } = await ask(url, { line: 'GET /healthz', patienceMs: 5_000 })
    report.healthChecks += 1
    report.slowestHealthMs = Math.max(
      report.slowestHealthMs,
      Math.round(performance.now() - startedMs),
    )
    if (status !== 200) report.violations.push(`/healthz ${status}`)
    await sleep(50)
  }
}

function call(url: string, token: string): Promise<Heard> {
  const body = { model: 'sim/fixed', messages: [{ role: 'user', content: 'Habari' }] }
  const asked = { line: 'POST /v1/chat/completions', token, body, patienceMs: 30_000 }
  return ask(url, asked, freshAgent)
}

function stream(url: string, token: string): Promise<Heard> {
  const content = 'Nieleze kuhusu Kilimanjaro, Serengeti na Zanzibar. '.repeat(20)
  const body = { model: 'sim/hekima', messages: [{ role: 'user', content }], stream: true }
  return ask(url, { line: 'POST /v1/chat/completions', token, body, patienceMs: 60_000 })
}
