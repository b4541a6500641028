import { Failure } from '../lib/failure.ts'
import type { CommitMode, Db, OpenTx } from './db.ts'
import { codeOf } from './trouble.ts'

export type GroupCommit<Item, Result> = {
  /** Resolves once the item's transaction is committed. */
  submit(item: Item): Promise<Result>
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>
}

export type GroupCommitOptions<Item, Result> = {
  db: Db
  /** Tried before a transaction is begun; does nothing when it gives no results. */
  attempt?(items: Item[]): Promise<Result[] | undefined>
  /** One result per item, in the items' order. */
  apply(tx: OpenTx, items: Item[]): Promise<Result[]>
  /** How a batch is committed; `durable` if it is not said. */
  mode?(items: Item[]): CommitMode
  maxBatch?: number
  /** Told of each commit, where metrics are kept. */
  observe?: ((batch: { size: number; durationMs: number; ok: boolean }) => void) | undefined
  /** Past this many waiting items callers get `unavailable` at once. */
  maxWaiting?: number
}

type Waiting<Item, Result> = {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Many callers, one transaction. Idle, an item commits at once; what arrives while a commit is in
 * flight goes into the next one. A batch that fails is run again item by item, so that one bad item
 * fails alone; when the database itself is away, all fail together.
 */
export function groupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { db, maxBatch = 500, maxWaiting = 10_000 } = options
  let waiting: Waiting<Item, Result>[] = []
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      await commit(batch)
    }
    running = undefined
  }

  async function commit(batch: Waiting<Item, Result>[]): Promise<void> {
    const size = batch.length
    const beganMs = performance.now()
    const observe = (ok: boolean) =>
      options.observe?.({ size, durationMs: performance.now() - beganMs, ok })
    try {
      const items = batch.map((one) => one.item)
      const results =
        (await attempt(items)) ??
        (await db.begin((tx) => applyAll(tx, items), options.mode?.(items)))
      observe(true)
      batch.forEach((one, i) => one.resolve(results[i]!))
    } catch (error) {
      observe(false)
      if (batch.length === 1 || isDatabaseAway(error)) {
        for (const one of batch) one.reject(error)
      } else {
        for (const one of batch) await commit([one])
      }
    }
  }

  /** Whatever the server refuses in an attempt is then looked at in a transaction. */
  async function attempt(items: Item[]): Promise<Result[] | undefined> {
    try {
      return await options.attempt?.(items)
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      return undefined
    }
  }

  async function applyAll(tx: OpenTx, items: Item[]): Promise<Result[]> {
    const results = await options.apply(tx, items)
    if (results.length !== items.length) throw new Error('A batch needs one result per item.')
    return results
  }

  return {
    submit(item) {
      db.assertOutside()
      if (waiting.length >= maxWaiting) return Promise.reject(tooMany())
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        running ??= drain()
      })
    },
    idle: () => running ?? Promise.resolve(),
  }
}

export type CommitLanesOptions<Item, Result> = GroupCommitOptions<Item, Result> & {
  lanes: number
  /** Items that touch the same rows must name the same lane: they then keep their order. */
  laneOf(item: Item): string
}

/**
 * Several group commits side by side, so that one transaction's journey to the server and its wait
 * for the disk do not keep everybody else waiting.
 */
export function commitLanes<Item, Result>(
  options: CommitLanesOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { lanes, laneOf, maxWaiting = 10_000 } = options
  const all = Array.from({ length: lanes }, () =>
    groupCommit<Item, Result>({ ...options, maxWaiting: Math.ceil(maxWaiting / lanes) }),
  )
  return {
    submit: (item) => all[hash(laneOf(item)) % lanes]!.submit(item),
    idle: async () => void (await Promise.all(all.map((lane) => lane.idle()))),
  }
}

/** A deadlock or a lock time-out may be one item's doing; a lost connection is everybody's. */
function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Failure) || error.kind !== 'unavailable') return false
  return !/^(40|55P03|57014)/.test(codeOf(error.cause) ?? '')
}

function tooMany(): Failure {
  return new Failure('unavailable', 'The service is overloaded. Please try again.', {
    retryAfterS: 2,
  })
}

/** Spreads names evenly; nothing rests on it being hard to guess. */
function hash(name: string): number {
  let sum = 0
  for (let i = 0; i < name.length; i++) sum = (Math.imul(sum, 31) + name.charCodeAt(i)) >>> 0
  return sum
}
