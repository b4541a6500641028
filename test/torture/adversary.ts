import { setTimeout as sleep } from 'node:timers/promises'
import { MICRO } from '../../src/ledger/money.ts'
import { startGlutton, type Glutton } from './adversary/glutton.ts'
import {
  brokenPrices,
  brokenService,
  HONEST_LOADS,
  HONEST_PATIENCE_MS,
} from './adversary/honest.ts'
import { allowedMicro, brokenPromises, credits, lostMicro, reckon } from './adversary/reckoning.ts'
import { startMetered } from './adversary/metered/upstreams.ts'
import { brokenBound, watchNewcomers, type NewcomersWatch } from './adversary/newcomers.ts'
import { strategiesNamed } from './adversary/strategies.ts'
import { tableOf } from './adversary/table.ts'
import { openPulse } from './adversary/pulse.ts'
import { openTally, type Tally } from './adversary/tally.ts'
import { newThief, playing, topUp, type Den, type Strategy, type Thief } from './adversary/thief.ts'
import { compareBalances } from './judge/balances.ts'
import { brokenInvariants } from './judge/invariants.ts'
import { brokenHistory } from './judge/verdict.ts'
import { openPlayers, type Players } from './load/players.ts'
import { seededRandom, type Random } from './load/random.ts'
import { awaitClosure } from './rig/closure.ts'
import { openWorld, type World } from './rig/world.ts'

export type AdversaryOptions = {
  seed: number
  seconds: number
  replicas: number
  thieves: number
  /** Honest customers, and the clients that act for them. */
  people: number
  players: number
  /** How long a socket is kept that does nothing. */
  holdMs: number
  /** Amounts that thieves pay in, in TZS: a large one buys long answers. */
  topUps: readonly number[]
  /** What accounts that never paid may leave unpaid together: every other thief never pays. */
  dailyCredits: number
  /** Only the strategies whose name fits this pattern. */
  play?: string | undefined
  /** Each thief keeps to one way to play, so that each account shows what one way comes to. */
  apart?: boolean | undefined
  say?: ((sentence: string) => void) | undefined
}

/** How often each strategy took effect. */
type Effects = Map<string, number>
type Run = {
  world: World
  tally: Tally
  players: Players
  thieves: Thief[]
  effects: Effects
  watch: NewcomersWatch
}

/** Sessions last for a quarter of an hour, and nobody here signs in again. */
const LONGEST_S = 780

/**
 * Adversary: many accounts that try to get paid work for nothing, to get in and to stop the others,
 * all at once and beside honest customers. Judged by what the upstreams' own books say each account
 * has cost at catalog prices, and what it was charged.
 */
export async function adversary(options: AdversaryOptions) {
  if (options.seconds > LONGEST_S) throw new Error(`one run takes at most ${LONGEST_S} s`)
  const pulse = openPulse()
  const tally = openTally(pulse)
  const glutton = await startGlutton(tally)
  const metered = await startMetered(tally)
  const world = await openWorld({
    replicas: options.replicas,
    upstreams: [...glutton.upstreams, ...metered.upstreams],
    // Nothing of it fails here: on a busy machine too its answers are waited for.
    timeouts: { first_byte_ms: 60_000, idle_ms: 60_000 },
    watch: (entry) => tally.noteSimulated(entry),
    env: {
      TRUST_PROXY: 'true',
      UNPAID_CREDITS: '100',
      UNPAID_DAILY_CREDITS: String(options.dailyCredits),
    },
  })
  pulse.follow(world.fleet.slots.map(({ url }) => url))
  try {
    return await run(world, glutton, tally, options)
  } finally {
    await world.close()
    await Promise.all([glutton.close(), metered.close()])
  }
}

async function run(world: World, glutton: Glutton, tally: Tally, options: AdversaryOptions) {
  const random = seededRandom(options.seed)
  const players = await openPlayers(world, random, {
    ...options,
    victims: 0,
    balances: ['1000000'],
    loads: HONEST_LOADS,
    patienceMs: HONEST_PATIENCE_MS,
  })
  const den: Den = {
    world,
    honest: players.people,
    holdMs: options.holdMs,
    topUps: options.topUps,
    violation: players.history.violation,
    asked: new Map(),
  }
  const thieves = await Promise.all(
    Array.from({ length: options.thieves }, (_, i) => newThief(den, random.fork(`thief ${i}`), i)),
  )
  options.say?.('customers and thieves have signed up')
  const end = new AbortController()
  const playing = players.play(options.players, () => end.signal.aborted)
  const watch = watchNewcomers(world.db, BigInt(options.dailyCredits) * MICRO)
  const effects = await steal(thieves, random, options)
  end.abort()
  await playing
  options.say?.('everybody has stopped')
  await players.runLateChecks()
  await glutton.atRest()
  await awaitClosure(world, 0)
  await compareBalances(world, players)
  await watch.end()
  return report({ world, tally, players, thieves, effects, watch }, options)
}

/** First each strategy once, by whichever thief is free; then by chance, until the time is over. */
async function steal(thieves: Thief[], random: Random, options: AdversaryOptions) {
  const untilMs = performance.now() + options.seconds * 1_000
  const strategies = strategiesNamed(options.play)
  const effects: Effects = new Map(strategies.map(({ name }) => [name, 0]))
  const plan: Strategy[] = strategies.toSorted(() => random.next() - 0.5)
  await Promise.all(
    thieves.map(async (thief, nth) => {
      if (options.apart && nth >= strategies.length) await topUp(thief)
      while ((!options.apart && plan.length > 0) || performance.now() < untilMs) {
        const own = options.apart ? strategies[nth % strategies.length] : plan.shift()
        const strategy = own ?? thief.random.weighted(strategies)
        if (!options.apart && nth % 2 === 0 && thief.random.chance(0.2)) await topUp(thief)
        thief.round += 1
        const tookEffect = await playing(thief, strategy)
        if (tookEffect) effects.set(strategy.name, effects.get(strategy.name)! + 1)
        else if (!options.apart) options.say?.(`${strategy.name} had no effect`)
        if (!tookEffect && !options.apart && performance.now() < untilMs) plan.push(strategy)
        await sleep(thief.random.between(0, 50))
      }
    }),
  )
  return effects
}

async function report(run: Run, { seed, seconds, dailyCredits }: AdversaryOptions) {
  const { world, tally, players, thieves, effects, watch } = run
  const { history } = players
  const reckoned = await reckon(world.db, thieves, tally)
  const sum = (pick: (one: (typeof reckoned)[number]) => bigint) =>
    credits(reckoned.reduce((total, one) => total + pick(one), 0n))
  const worst = reckoned.toSorted((a, b) => Number(lostMicro(b) - lostMicro(a)))[0]!
  for (const [mark, { calls }] of tally.honest) world.received.set(mark, { calls, finished: calls })
  const figures = await world.fleet.figures()
  return {
    seed,
    seconds,
    thieves: thieves.length,
    processes: world.fleet.slots.length,
    effects: Object.fromEntries(effects),
    missed: [...effects].filter(([, times]) => times === 0).map(([name]) => name),
    /** In credits, at catalog prices. */
    stolen: {
      cost: sum(({ cost }) => cost.micro),
      paid: sum(({ paidMicro }) => paidMicro),
      lost: sum(lostMicro),
      allowed: sum(allowedMicro),
      leftUnpaid: sum(({ cost }) => cost.leftMicro),
      worst: {
        cost: credits(worst.cost.micro),
        paid: credits(worst.paidMicro),
        lost: credits(lostMicro(worst)),
      },
    },
    table: await tableOf(world.db, thieves, tally),
    honest: Object.fromEntries([...history.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    longestTurnMs: Math.round(figures.longestTurnMs),
    largestRssMb: Math.round(figures.rss / 1e6),
    violations: [
      ...brokenPromises(reckoned),
      ...brokenBound(reckoned, watch, tally, BigInt(dailyCredits) * MICRO),
      ...brokenService(history, world.fleet.output()),
      ...brokenPrices(history, tally),
      ...(await brokenInvariants(world.db)),
      ...(await brokenHistory(
        world,
        history.seen,
        false,
        new Set(thieves.map(({ accountId }) => accountId)),
      )),
      ...new Set(history.violations),
      ...world.fleet.crashes,
      ...world.canary.visits.map((visit) => `a connection to the canary: ${visit}`),
    ],
  }
}
