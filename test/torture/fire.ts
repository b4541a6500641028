import { setTimeout as sleep } from 'node:timers/promises'
import { openPlayers } from './load/players.ts'
import { seededRandom, type Random } from './load/random.ts'
import {
  FREEZE,
  LATE_HOLDS,
  NETWORK_FAULTS,
  PROCESS_FAULTS,
  type Fault,
  type InjectedCounts,
} from './rig/faults.ts'
import type { History } from './judge/history.ts'
import { watchHolds } from './judge/forgotten-holds.ts'
import { brokenInvariants } from './judge/invariants.ts'
import { brokenHistory } from './judge/verdict.ts'
import { awaitClosure } from './rig/closure.ts'
import { killInTurn } from './rig/kills.ts'
import { OPERATORS } from './rig/operators.ts'
import { compareBalances } from './judge/balances.ts'
import type { PoolMode } from './rig/pgbouncer.ts'
import { openWorld, type World } from './rig/world.ts'

export type FireOptions = {
  seed: number
  seconds: number
  replicas: number
  players: number
  people: number
  victims: number
  /** How long a paid payment may take to be credited; unset: not waited for. */
  paymentsWithinS?: number
  /** Instead of all faults: the default set-up, whose service and server are killed so often. */
  defaultSetUp?: { kills: number }
  /** The processes reach the database through PgBouncer. */
  pooled?: PoolMode | undefined
  /** Called with a sentence for every fault and every phase. */
  say?: ((sentence: string) => void) | undefined
}

export type FireReport = {
  seed: number
  seconds: number
  calls: number
  moneyOperations: number
  entries: number
  payments: number
  faults: Record<string, number>
  /** Kinds of faults that were planned and never took effect. */
  missed: string[]
  outcomes: Record<string, number>
  secretsSought: number
  logLines: number
  longestTurnMs: number
  /** The age of the process at that turn: the first calls compile what they need. */
  longestTurnAtS: number
  largestRssMb: number
  redis: boolean
  violations: string[]
}

/**
 * Fire: the whole service as several processes, under load and under faults at the same time. Then the
 * faults stop, interrupted work gets the time it is promised to be closed in, and the database is
 * compared with what every client saw and with what the providers received.
 */
export async function fire(options: FireOptions): Promise<FireReport> {
  const ownDatabase = options.defaultSetUp !== undefined
  const { replicas, pooled } = options
  const world = await openWorld({ replicas: ownDatabase ? 1 : replicas, ownDatabase, pooled })
  try {
    return await run(world, options)
  } finally {
    await world.close()
  }
}

async function run(world: World, options: FireOptions): Promise<FireReport> {
  const random = seededRandom(options.seed)
  const say = phases(options.say)
  say('the processes are up')
  const players = await openPlayers(world, random, options)
  say('the customers have signed up')
  const end = new AbortController()
  const holds = watchHolds(world.db)
  const playing = players.play(options.players, () => end.signal.aborted)
  const injected =
    options.defaultSetUp === undefined
      ? await injectFaults(world, random, options)
      : await killInTurn(world, players, { ...options.defaultSetUp, random, say: options.say })
  end.abort()
  await playing
  say('the faults have stopped')
  await endAllFaults(world)
  await players.runLateChecks()
  say('the late checks are done')
  await awaitClosure(world, options.paymentsWithinS ?? 0)
  say('interrupted work is closed')
  world.findings.push(...(await holds.stop()))
  await compareBalances(world, players)
  return report(world, { ...options, history: players.history, injected })
}

function phases(say: FireOptions['say']): (sentence: string) => void {
  const startedMs = performance.now()
  return (sentence) =>
    say?.(`[${((performance.now() - startedMs) / 1_000).toFixed(1)} s] ${sentence}`)
}

/** What is closed only after minutes is left out of a run of seconds. */
const SLOW_TO_CLOSE_FROM_S = 60

/** Several loops at once: each of its own kind of faults. */
async function injectFaults(
  world: World,
  random: Random,
  options: FireOptions,
): Promise<InjectedCounts> {
  const untilMs = performance.now() + options.seconds * 1_000
  const injected: InjectedCounts = new Map()
  const loop = async (name: string, faults: readonly Fault[], pauseMs: number) => {
    for (const fault of faults) injected.set(fault.name, 0)
    const own = random.fork(name)
    // First each kind once, in random order, however long that takes; then by weight.
    const plan = faults.toSorted(() => own.next() - 0.5)
    const isTime = () => performance.now() < untilMs
    while (plan.length > 0 || isTime()) {
      const fault = plan.shift() ?? own.weighted(faults)
      const tookEffect = await fault.inject(world, own)
      options.say?.(`${fault.name}${tookEffect ? '' : ' (no effect)'}`)
      if (tookEffect) injected.set(fault.name, injected.get(fault.name)! + 1)
      else if (isTime()) plan.push(fault)
      await sleep(own.between(pauseMs / 2, pauseMs))
    }
  }
  await Promise.all([
    ...Array.from({ length: Math.max(1, options.replicas - 3) }, (_, i) =>
      loop(`processes ${i}`, PROCESS_FAULTS, 600),
    ),
    loop('freezer', [FREEZE], 4_000),
    loop('lines', NETWORK_FAULTS, 900),
    loop('operators', OPERATORS, 4_000),
    ...(options.seconds < SLOW_TO_CLOSE_FROM_S ? [] : [loop('late holds', [LATE_HOLDS], 20_000)]),
  ])
  return injected
}

async function endAllFaults({ fleet, upstream, models, money }: World): Promise<void> {
  models.heal()
  money.control.outage(undefined)
  await upstream.heal()
  for (const slot of fleet.slots) {
    await slot.databaseProxy.heal()
    if (slot.state === 'down') await fleet.start(slot)
  }
}

async function report(
  world: World,
  outcome: FireOptions & { history: History; injected: InjectedCounts },
): Promise<FireReport> {
  const { db, fleet, secrets } = world
  const { history, injected } = outcome
  const output = fleet.output()
  const figures = await fleet.figures()
  injected.set('clock jump', figures.clockJumps)
  const [counts] = await db.query<Record<'entries' | 'records' | 'payments', bigint>>(
    `select (select count(*) from ledger_entries) as entries,
       (select count(*) from activity_records) as records,
       (select count(*) from payments) as payments`,
  )
  const grants = Number(counts!.entries) - Number(await usageEntries(world))
  return {
    seed: outcome.seed,
    seconds: outcome.seconds,
    calls: [...history.counts.values()].reduce((sum, one) => sum + one, 0),
    // A record is a hold that was taken and a hold that was closed; a grant is one more.
    moneyOperations: 2 * Number(counts!.records) + grants,
    entries: Number(counts!.entries),
    payments: Number(counts!.payments),
    faults: Object.fromEntries(injected),
    missed: [...injected].filter(([, times]) => times === 0).map(([name]) => name),
    outcomes: Object.fromEntries([...history.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    secretsSought: secrets.count,
    logLines: output.length,
    longestTurnMs: Math.round(figures.longestTurnMs),
    longestTurnAtS: Math.round(figures.longestAtS),
    largestRssMb: Math.round(figures.rss / 1e6),
    redis: world.redis,
    violations: [
      ...(await brokenInvariants(db)),
      ...world.findings,
      ...(await brokenHistory(world, history.seen, outcome.paymentsWithinS !== undefined)),
      ...new Set(history.violations),
      ...fleet.crashes,
      ...secrets.in(output.join('\n')).map((leak) => `a secret in a log: ${leak}`),
      ...secrets.in(await metricsOf(fleet)).map((leak) => `a secret in the metrics: ${leak}`),
      ...(await secretsInTables(world)),
      ...world.canary.visits.map((visit) => `a connection to the canary: ${visit}`),
    ],
  }
}

async function metricsOf({ slots }: World['fleet']): Promise<string> {
  const answers = await Promise.all(slots.map(({ metricsUrl }) => fetch(metricsUrl)))
  return (await Promise.all(answers.map((answer) => answer.text()))).join('\n')
}

/**
 * What a thief of the database could use. Answers kept for retries are their caller's own. Columns of
 * numbers are left out: of so many amounts and counts, some have the six digits of somebody's code.
 */
async function secretsInTables({ db, secrets }: World): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select tablename as name from pg_tables
     where schemaname = 'public' and tablename <> 'idempotency_keys'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await db.query<{ row: string | null }>(
      `select (select string_agg(value::text, ' ') from jsonb_each(to_jsonb(t))
         where jsonb_typeof(value) <> 'number') as row
       from "${name}" t`,
    )
    for (const leak of secrets.credentialsIn(rows.map(({ row }) => row ?? '').join('\n'))) {
      found.push(`a secret in the table ${name}: ${leak}`)
    }
  }
  return found
}

async function usageEntries({ db }: World): Promise<bigint> {
  const [row] = await db.query<{ n: bigint }>(
    `select count(*) as n from ledger_entries where type = 'usage'`,
  )
  return row!.n
}
