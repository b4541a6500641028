import { readMinutes } from '../activity/upstream-minutes-store.ts'
import { upstreamFigures } from '../activity/upstream-minutes.ts'
import { drainUpstream, undrainUpstream } from '../operators/drains.ts'
import { listDrains } from '../operators/drains-store.ts'
import type { App } from '../app/app.ts'
import { command, done, failed, tableRow, verb, type CommandResult } from './command.ts'

const HELP = `upstreams list        list the upstreams, their calls of the last hour, and which are drained
upstreams drain <name> [--reason <text>] [--operator <name>]
                      begin nothing more there, in every process; what runs ends by itself
upstreams undrain <name> [--reason <text>] [--operator <name>]`

type Parts = Pick<App, 'db' | 'upstreams' | 'clock'>

export const upstreamsCommand = command<Parts>('upstreams', HELP, {
  list: verb([], {}, async (parts: Parts) => done(...(await upstreamLines(parts)))),
  drain: verb(['upstream'], {}, async ({ db, upstreams }: Parts, { upstream, actor, reason }) => {
    if (!isListed(upstreams, upstream)) return noUpstream(upstream)
    const changed = await drainUpstream(db, actor, { upstream, reason })
    return done(`${upstream} ${changed ? 'is drained' : 'was drained already'}.`)
  }),
  undrain: verb(['upstream'], {}, async ({ db, upstreams }: Parts, { upstream, actor, reason }) => {
    // One that has been taken out of the file meanwhile can still be undrained.
    const changed = await undrainUpstream(db, actor, { upstream, reason })
    if (!changed && !isListed(upstreams, upstream)) return noUpstream(upstream)
    return done(`${upstream} ${changed ? 'is in use' : 'was in use already'}.`)
  }),
})

function isListed({ list }: Parts['upstreams'], name: string): boolean {
  return list.some((one) => one.name === name)
}

function noUpstream(name: string): CommandResult {
  return failed(`There is no upstream ${name}.`)
}

const HOUR_MS = 3_600_000

async function upstreamLines({ db, upstreams, clock }: Parts): Promise<string[]> {
  const drains = new Map((await listDrains(db)).map((one) => [one.upstream, one]))
  const to = clock.now()
  const from = new Date(to.getTime() - HOUR_MS)
  const minutes = await readMinutes(db, { upstream: undefined, from, to })
  return upstreams.list.map(({ name, type }) => {
    const own = minutes.filter((one) => one.upstream === name)
    const { calls, errors, p50Ms, p95Ms } = upstreamFigures(own)
    const drain = drains.get(name)
    return tableRow(
      name,
      type,
      `calls=${calls}`,
      `errors=${errors}`,
      `p50=${p50Ms ?? '-'}ms`,
      `p95=${p95Ms ?? '-'}ms`,
      drain && `DRAINED since ${drain.at.toISOString()} by ${drain.operator}`,
    )
  })
}
