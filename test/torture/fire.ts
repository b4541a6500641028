import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCrowd } from './load/crowd.ts'
import { dice as newDice, type Dice } from './load/dice.ts'
import {
  FREEZE,
  LEASE_MS,
  LINE_FAULTS,
  PROCESS_FAULTS,
  SWEEP_MS,
  type Fault,
} from './rig/faults.ts'
import type { History } from './judge/history.ts'
import { brokenInvariants } from './judge/invariants.ts'
import { brokenHistory } from './judge/verdict.ts'
import { openWorld, type World } from './rig/world.ts'

export type FireOptions = {
  seed: number
  seconds: number
  replicas: number
  players: number
  people: number
  victims: number
  /** How long a payment that was paid may wait for the next look; unset: not waited for. */
  paymentsWithinS?: number
  /** Told of every fault as it strikes. */
  say?: (sentence: string) => void
}

export type FireReport = {
  seed: number
  seconds: number
  calls: number
  moneyOperations: number
  entries: number
  payments: number
  faults: Record<string, number>
  /** Planned, but never felt. */
  missed: string[]
  outcomes: Record<string, number>
  secretsSought: number
  logLines: number
  longestTurnMs: number
  /** How old the process was then: the first calls of a young one load what they need. */
  longestTurnAtS: number
  largestRssMb: number
  redis: boolean
  violations: string[]
}

/** Load and faults at once, then quiet, then the reckoning. */
export async function fire(options: FireOptions): Promise<FireReport> {
  const world = await openWorld({ replicas: options.replicas })
  try {
    return await burn(world, options)
  } finally {
    await world.close()
  }
}

async function burn(world: World, options: FireOptions): Promise<FireReport> {
  const dice = newDice(options.seed)
  const say = phases(options.say)
  say('the world is open')
  const crowd = await openCrowd(world, dice, options)
  say('people have signed up')
  const untilMs = performance.now() + options.seconds * 1_000
  const playing = crowd.play(options.players, untilMs)
  const struck = await strikeAll(world, dice, { ...options, untilMs })
  await playing
  say('the fire is out')
  await makeWhole(world)
  await crowd.askAgain()
  say('everything was asked again')
  await quiet(world, options.paymentsWithinS ?? 0)
  say('all is quiet')
  return report(world, { ...options, history: crowd.history, struck })
}

function phases(say: FireOptions['say']): (sentence: string) => void {
  const startedMs = performance.now()
  return (sentence) =>
    say?.(`[${((performance.now() - startedMs) / 1_000).toFixed(1)} s] ${sentence}`)
}

type Struck = Map<string, number>

/** Hands on the processes, one on the lines, and one that freezes a process at a time. */
async function strikeAll(
  world: World,
  dice: Dice,
  options: FireOptions & { untilMs: number },
): Promise<Struck> {
  const struck: Struck = new Map(
    [...PROCESS_FAULTS, FREEZE, ...LINE_FAULTS].map((fault) => [fault.name, 0]),
  )
  const hand = async (name: string, faults: readonly Fault[], pauseMs: number) => {
    const own = dice.fork(name)
    // Each once to begin with, in any order; then by weight.
    const plan = faults.toSorted(() => own.next() - 0.5)
    while (performance.now() < options.untilMs) {
      const fault = plan.shift() ?? own.weighted(faults)
      const felt = await fault.strike(world, own)
      options.say?.(`${fault.name}${felt ? '' : ' (not felt)'}`)
      if (felt) struck.set(fault.name, struck.get(fault.name)! + 1)
      else plan.push(fault)
      await sleep(own.between(pauseMs / 2, pauseMs))
    }
  }
  await Promise.all([
    ...Array.from({ length: Math.max(1, options.replicas - 3) }, (_, i) =>
      hand(`processes ${i}`, PROCESS_FAULTS, 600),
    ),
    hand('freezer', [FREEZE], 4_000),
    hand('lines', LINE_FAULTS, 900),
  ])
  return struck
}

async function makeWhole({ fleet, upstream, models, money }: World): Promise<void> {
  models.heal()
  money.control.outage(undefined)
  await upstream.heal()
  for (const slot of fleet.slots) {
    await slot.line.heal()
    if (slot.state === 'down') await fleet.start(slot)
  }
}

/** Liveness: within a lease and two sweeps everything that was interrupted is closed. */
async function quiet({ db, money, folder }: World, paymentsWithinS: number): Promise<void> {
  const openHolds = `select id from holds`
  const unpaid = `select id from payments where status = 'pending' and reference = any($1::text[])`
  await emptied(() => db.query(openHolds), LEASE_MS + 2 * SWEEP_MS)
  await emptied(() => readdir(join(folder, 'doubtful-charges')).catch(() => []), 15_000)
  await emptied(() => db.query(unpaid, [paidFor(money)]), paymentsWithinS * 1_000)
}

async function emptied(rows: () => Promise<unknown[]>, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs
  while (performance.now() < untilMs && (await rows()).length > 0) await sleep(250)
}

function paidFor(money: World['money']): string[] {
  return money.control
    .payments()
    .filter((one) => one.status === 'completed' && one.collected === one.amount)
    .filter((one) => one.collectedCurrency === one.currency)
    .map((one) => one.callerRef)
}

async function report(
  world: World,
  told: FireOptions & { history: History; struck: Struck },
): Promise<FireReport> {
  const { db, fleet, secrets } = world
  const { history, struck } = told
  const output = fleet.output()
  const figures = await fleet.figures()
  struck.set('clock jump', figures.clockJumps)
  const [counts] = await db.query<Record<'entries' | 'records' | 'payments', bigint>>(
    `select (select count(*) from ledger_entries) as entries,
       (select count(*) from activity_records) as records,
       (select count(*) from payments) as payments`,
  )
  const grants = Number(counts!.entries) - Number(await usageEntries(world))
  return {
    seed: told.seed,
    seconds: told.seconds,
    calls: [...history.counts.values()].reduce((sum, one) => sum + one, 0),
    // A record is a hold that was taken and a hold that was closed; a grant is one more.
    moneyOperations: 2 * Number(counts!.records) + grants,
    entries: Number(counts!.entries),
    payments: Number(counts!.payments),
    faults: Object.fromEntries(struck),
    missed: [...struck].filter(([, times]) => times === 0).map(([name]) => name),
    outcomes: Object.fromEntries([...history.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    secretsSought: secrets.count,
    logLines: output.length,
    longestTurnMs: Math.round(figures.longestTurnMs),
    longestTurnAtS: Math.round(figures.longestAtS),
    largestRssMb: Math.round(figures.rss / 1e6),
    redis: world.redis,
    violations: [
      ...(await brokenInvariants(db)),
      ...(await brokenHistory(world, history.seen, told.paymentsWithinS !== undefined)),
      ...new Set(history.wrongs),
      ...fleet.crashes,
      ...secrets.in(output.join('\n')).map((leak) => `a secret in a log: ${leak}`),
      ...secrets.in(await metricsOf(fleet)).map((leak) => `a secret in the metrics: ${leak}`),
      ...(await stored(world)),
      ...world.canary.visits.map((visit) => `a connection to where nobody should go: ${visit}`),
    ],
  }
}

async function metricsOf({ slots }: World['fleet']): Promise<string> {
  const answers = await Promise.all(slots.map(({ metricsUrl }) => fetch(metricsUrl)))
  return (await Promise.all(answers.map((answer) => answer.text()))).join('\n')
}

/** What a thief of the database could use. Kept answers are left out: they are their caller's own. */
async function stored({ db, secrets }: World): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select tablename as name from pg_tables
     where schemaname = 'public' and tablename <> 'idempotency'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await db.query<{ row: string }>(`select t::text as row from "${name}" t`)
    for (const leak of secrets.credentialsIn(rows.map(({ row }) => row).join('\n'))) {
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
