import { setTimeout as sleep } from 'node:timers/promises'
import { startGlutton, type Glutton } from './adversary/glutton.ts'
import { brokenService, HONEST_LOADS, HONEST_PATIENCE_MS } from './adversary/honest.ts'
import { allowedMicro, brokenPromises, credits, lostMicro, reckon } from './adversary/reckoning.ts'
import { STRATEGIES } from './adversary/strategies.ts'
import { openTally, type Cost, type Tally } from './adversary/tally.ts'
import { newThief, topUp, type Den, type Strategy, type Thief } from './adversary/thief.ts'
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
  /** Only the strategies with this in their name. */
  play?: string | undefined
  say?: ((sentence: string) => void) | undefined
}

/** How often each strategy took effect. */
type Effects = Map<string, number>
type Run = { world: World; tally: Tally; players: Players; thieves: Thief[]; effects: Effects }

/**
 * Adversary: many accounts that try to get paid work for nothing, to get in and to stop the others,
 * all at once and beside honest customers. Judged by what the upstreams' own books say each account
 * has cost at catalog prices, and what it was charged.
 */
export async function adversary(options: AdversaryOptions) {
  const tally = openTally()
  const glutton = await startGlutton(tally)
  const world = await openWorld({
    replicas: options.replicas,
    upstreams: glutton.upstreams,
    // Nothing of it fails here: on a busy machine too its answers are waited for.
    timeouts: { first_byte_ms: 60_000, idle_ms: 60_000 },
    watch: (entry) => tally.noteSimulated(entry),
    env: { TRUST_PROXY: 'true', UNPAID_CREDITS: '100' },
  })
  try {
    return await run(world, glutton, tally, options)
  } finally {
    await world.close()
    await glutton.close()
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
  }
  const thieves = await Promise.all(
    Array.from({ length: options.thieves }, (_, i) => newThief(den, random.fork(`thief ${i}`), i)),
  )
  options.say?.('customers and thieves have signed up')
  const end = new AbortController()
  const playing = players.play(options.players, () => end.signal.aborted)
  const effects = await steal(thieves, random, options)
  end.abort()
  await playing
  options.say?.('everybody has stopped')
  await players.runLateChecks()
  await glutton.atRest()
  await awaitClosure(world, 0)
  await compareBalances(world, players)
  return report({ world, tally, players, thieves, effects }, options)
}

/** First each strategy once, by whichever thief is free; then by chance, until the time is over. */
async function steal(thieves: Thief[], random: Random, options: AdversaryOptions) {
  const untilMs = performance.now() + options.seconds * 1_000
  const strategies = STRATEGIES.filter(({ name }) => name.includes(options.play ?? ''))
  const effects: Effects = new Map(strategies.map(({ name }) => [name, 0]))
  const plan: Strategy[] = strategies.toSorted(() => random.next() - 0.5)
  await Promise.all(
    thieves.map(async (thief) => {
      while (plan.length > 0 || performance.now() < untilMs) {
        const strategy = plan.shift() ?? thief.random.weighted(strategies)
        if (thief.random.chance(0.2)) await topUp(thief)
        const tookEffect = await strategy.play(thief)
        if (tookEffect) effects.set(strategy.name, effects.get(strategy.name)! + 1)
        else options.say?.(`${strategy.name} had no effect`)
        if (!tookEffect && performance.now() < untilMs) plan.push(strategy)
        await sleep(thief.random.between(0, 50))
      }
    }),
  )
  return effects
}

async function report(run: Run, { seed, seconds }: AdversaryOptions) {
  const { world, tally, players, thieves, effects } = run
  const { history } = players
  const reckoned = await reckon(world.db, thieves, tally, world.fleet.slots.length)
  const sum = (pick: (one: (typeof reckoned)[number]) => bigint) =>
    credits(reckoned.reduce((total, one) => total + pick(one), 0n))
  const worst = reckoned.toSorted((a, b) => Number(lostMicro(b) - lostMicro(a)))[0]!
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
    costs: Object.fromEntries([...tally.byStrategy].map(([name, cost]) => [name, shown(cost)])),
    honest: Object.fromEntries([...history.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    longestTurnMs: Math.round(figures.longestTurnMs),
    largestRssMb: Math.round(figures.rss / 1e6),
    violations: [
      ...brokenPromises(reckoned),
      ...brokenService(history),
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

function shown({ micro, calls, left, leftMicro }: Cost) {
  return { cost: credits(micro), calls, left, leftCost: credits(leftMicro) }
}
