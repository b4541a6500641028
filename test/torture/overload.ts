import { setTimeout as sleep } from 'node:timers/promises'
import { callService, type ClientAnswer } from './load/client.ts'
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

/** The calls a process may run at once in this part; ten times as many come. */
export const CAPACITY = 40

/**
 * More calls than one process accepts, on a slow upstream: the rest are refused with `Retry-After`,
 * `/healthz` answers, running streams are completed, and afterwards the process serves as before.
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
    const streams = Array.from({ length: 5 }, () => sendStream(url, key))
    await sleep(150)
    world.upstream.slow(400)
    const flood = Array.from({ length: CAPACITY * 10 }, () => sendChat(url, key))
    for (const answer of await Promise.all(flood)) count(answer, report)
    await world.upstream.heal()
    for (const answer of await Promise.all(streams)) {
      report.streams += 1
      const whole = answer.whole && answer.text.trimEnd().endsWith('data: [DONE]')
      if (!whole)
        report.violations.push(`a stream broke: ${answer.status} ${answer.text.slice(-200)}`)
    }
  }
  end.abort()
  await watching
  const after = await sendChat(url, key)
  if (after.status !== 200) report.violations.push(`afterwards ${after.status}`)
  if (report.shed === 0) report.violations.push('no call was refused')
  await sleep(600)
  report.rssMb = Math.round((await world.fleet.figures()).rss / 1e6)
  return report
}

function count(answer: ClientAnswer, report: OverloadReport): void {
  if (answer.status === 200) report.served += 1
  else if ([429, 503].includes(answer.status) && answer.headers['retry-after'] !== undefined) {
    report.shed += 1
  } else report.violations.push(`${answer.status} ${answer.text.slice(0, 200)}`)
}

async function watchHealth(url: string, report: OverloadReport, signal: AbortSignal) {
  while (!signal.aborted) {
    const startedMs = performance.now()
    const { status } = await callService(url, { endpoint: 'GET /healthz', patienceMs: 30_000 })
    report.healthChecks += 1
    report.slowestHealthMs = Math.max(
      report.slowestHealthMs,
      Math.round(performance.now() - startedMs),
    )
    if (status !== 200) report.violations.push(`/healthz ${status}`)
    await sleep(50)
  }
}

function sendChat(url: string, token: string): Promise<ClientAnswer> {
  const body = { model: 'sim/fixed', messages: [{ role: 'user', content: 'Habari' }] }
  const call = { endpoint: 'POST /v1/chat/completions', token, body, patienceMs: 60_000 }
  return callService(url, call, 'fresh')
}

function sendStream(url: string, token: string): Promise<ClientAnswer> {
  const content = 'Nieleze kuhusu Kilimanjaro, Serengeti na Zanzibar. '.repeat(20)
  const body = { model: 'sim/hekima', messages: [{ role: 'user', content }], stream: true }
  return callService(url, {
    endpoint: 'POST /v1/chat/completions',
    token,
    body,
    patienceMs: 60_000,
  })
}
