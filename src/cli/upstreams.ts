import { parseArgs } from 'node:util'
import { readMinutes } from '../activity/upstream-minutes-store.ts'
import { upstreamFigures } from '../activity/upstream-minutes.ts'
import { commandActor } from '../operators/actor.ts'
import { drainUpstream, undrainUpstream } from '../operators/drains.ts'
import { listDrains } from '../operators/drains-store.ts'
import type { App } from '../app/app.ts'
import type { Print } from './print.ts'

const HELP = `upstreams list        list the upstreams, their calls of the last hour, and which are drained
upstreams drain <name> [--reason <text>] [--operator <name>]
                      begin nothing more there, in every process; what runs ends by itself
upstreams undrain <name> [--reason <text>] [--operator <name>]`

type Parts = Pick<App, 'db' | 'upstreams' | 'clock'> & { print: Print }

/** `npm run mlango -- upstreams …`. */
export const upstreamsCommand = {
  name: 'upstreams',
  help: HELP,
  async run(args: string[], parts: Parts): Promise<number> {
    const { db, upstreams, print } = parts
    const text = { type: 'string' } as const
    const options = { reason: text, operator: text }
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [verb, name] = positionals
    if (verb === 'list' && name === undefined) return list(parts)
    if ((verb !== 'drain' && verb !== 'undrain') || name === undefined) {
      print(HELP)
      return 2
    }
    const drains = verb === 'drain'
    const wish = { upstream: name, reason: values.reason }
    const actor = commandActor(values.operator)
    const there = upstreams.list.some((one) => one.name === name)
    // One that has been taken out of the file meanwhile can still be undrained.
    const changed = drains
      ? there && (await drainUpstream(db, actor, wish))
      : await undrainUpstream(db, actor, wish)
    if (!there && !changed) {
      print(`There is no upstream ${name}.`)
      return 1
    }
    const state = drains ? 'drained' : 'in use'
    print(`${name} ${changed ? 'is' : 'was'} ${state}${changed ? '' : ' already'}.`)
    return 0
  },
}

const HOUR_MS = 3_600_000

async function list({ db, upstreams, clock, print }: Parts): Promise<number> {
  const drains = new Map((await listDrains(db)).map((one) => [one.upstream, one]))
  const to = clock.now()
  const from = new Date(to.getTime() - HOUR_MS)
  const minutes = await readMinutes(db, { upstream: undefined, from, to })
  for (const { name, type } of upstreams.list) {
    const { calls, errors, p50Ms, p95Ms } = upstreamFigures(
      minutes.filter((one) => one.upstream === name),
    )
    const drain = drains.get(name)
    const columns = [
      name,
      type,
      `calls=${calls}`,
      `errors=${errors}`,
      `p50=${p50Ms ?? '-'}ms`,
      `p95=${p95Ms ?? '-'}ms`,
      ...(drain ? [`DRAINED since ${drain.at.toISOString()} by ${drain.operator}`] : []),
    ]
    print(columns.join('  '))
  }
  return 0
}
