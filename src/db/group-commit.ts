import { Failure } from '../lib/failure.ts'
import type { CommitMode, Db, OpenTx } from './db.ts'
import { errorCodeOf } from './failure.ts'

export type GroupCommit<Item, Result> = {
  /** Resolves once the item's transaction is committed. */
  submit(item: Item): Promise<Result>
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>
}

export type GroupCommitOptions<Item, Result> = {
  db: Db
  /** Tried before a transaction is begun; does nothing when it gives no results. */
  attempt?(items: Item[], mode: CommitMode): Promise<Result[] | undefined>
  /** One result per item, in the items' order. */
  apply(tx: OpenTx, items: Item[]): Promise<Result[]>
  /** Told the results of `apply` once they are committed, before anybody gets theirs. */
  committed?(results: Result[]): void
  /** An item's result where it needs no commit. */
  without?(item: Item): Result | undefined
  /** How an item is committed; `durable` if it is not said. */
  mode?(item: Item): CommitMode
  /** Items that touch the same rows give the same name, and are never in two batches at once. */
  rowsOf?(item: Item): string
  maxBatch?: number
  /** Told of each commit, where metrics are kept. */
  observe?: ((batch: { size: number; durationMs: number; ok: boolean }) => void) | undefined
  /** Past this many waiting items callers get `unavailable` at once. */
  maxWaiting?: number
}

type Waiting<Item, Result> = {
  item: Item
  rows: string | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

type Rows = ReadonlySet<string | undefined>

/** One batch of each mode may be in flight. Those that finish calls go first. */
const MODES = ['durable', 'visible'] as const

/**
 * Many callers, one transaction. What is submitted together, or while a commit is in flight, goes
 * into the next one; items that need not wait for the disk do not wait for those that do. Items of
 * one mode keep their order. A batch that fails is run again item by item, so that one bad item fails
 * alone; when the database itself is away, all fail together.
 */
export function groupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { db, maxBatch = 500, maxWaiting = 10_000 } = options
  const waiting = { durable: [], visible: [] } as Record<CommitMode, Waiting<Item, Result>[]>
  /** The rows of each mode's batch. New for each: a Set that entries come to and leave grows old. */
  const inFlight: Record<CommitMode, Rows | undefined> = { durable: undefined, visible: undefined }
  let gathering = false
  let idlers: (() => void)[] = []

  /**
   * Calls that go together submit in one run of promises, so a first batch is taken `atEnd` of that
   * run; holds at the end of the turn, so that their upstreams are asked before. Behind another batch,
   * callers that have just been answered may submit again in this turn.
   */
  function gather(atEnd: (act: () => void) => void): void {
    if (gathering) return
    gathering = true
    atEnd(() => {
      gathering = false
      for (const mode of MODES) if (inFlight[mode] === undefined) start(mode)
    })
  }

  function start(mode: CommitMode): void {
    const batch = takeBatch(mode)
    if (batch.length === 0) return
    inFlight[mode] = new Set(batch.map(({ rows }) => rows))
    void commit(batch, mode).then(() => finish(mode))
  }

  function finish(mode: CommitMode): void {
    inFlight[mode] = undefined
    if (!isIdle()) return gather(setImmediate)
    for (const resolve of idlers) resolve()
    idlers = []
  }

  function takeBatch(mode: CommitMode): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    const locked = inFlight[mode === 'durable' ? 'visible' : 'durable']
    for (const one of waiting[mode]) {
      const isLocked = one.rows !== undefined && locked?.has(one.rows)
      const fits = batch.length < maxBatch && !isLocked
      ;(fits ? batch : left).push(one)
    }
    waiting[mode] = left
    return batch
  }

  function isIdle(): boolean {
    return countWaiting() === 0 && MODES.every((mode) => inFlight[mode] === undefined)
  }

  function countWaiting(): number {
    return waiting.durable.length + waiting.visible.length
  }

  /** Never throws: each item learns how it went. */
  async function commit(batch: Waiting<Item, Result>[], mode: CommitMode): Promise<void> {
    const size = batch.length
    const beganMs = performance.now()
    const observe = (ok: boolean) =>
      options.observe?.({ size, durationMs: performance.now() - beganMs, ok })
    try {
      const items = batch.map((one) => one.item)
      const results = (await attempt(items, mode)) ?? (await applyAndCommit(items, mode))
      observe(true)
      batch.forEach((one, i) => one.resolve(results[i]!))
    } catch (error) {
      observe(false)
      if (batch.length === 1 || isDatabaseAway(error)) {
        for (const one of batch) one.reject(error)
      } else {
        for (const one of batch) await commit([one], mode)
      }
    }
  }

  /** Whatever the server refuses in an attempt is then looked at in a transaction. */
  async function attempt(items: Item[], mode: CommitMode): Promise<Result[] | undefined> {
    try {
      return await options.attempt?.(items, mode)
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      return undefined
    }
  }

  async function applyAndCommit(items: Item[], mode: CommitMode): Promise<Result[]> {
    const results = await db.begin((tx) => applyAll(tx, items), mode)
    options.committed?.(results)
    return results
  }

  async function applyAll(tx: OpenTx, items: Item[]): Promise<Result[]> {
    const results = await options.apply(tx, items)
    if (results.length !== items.length) throw new Error('A batch needs one result per item.')
    return results
  }

  return {
    submit(item) {
      db.assertOutside()
      if (countWaiting() >= maxWaiting) return Promise.reject(tooMany())
      const result = options.without?.(item)
      if (result !== undefined) return Promise.resolve(result)
      const rows = options.rowsOf?.(item)
      return new Promise((resolve, reject) => {
        const mode = options.mode?.(item) ?? 'durable'
        waiting[mode].push({ item, rows, resolve, reject })
        if (inFlight[mode] === undefined)
          gather(mode === 'visible' ? setImmediate : process.nextTick)
      })
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}

/** A deadlock or a lock time-out may be one item's doing; a lost connection is everybody's. */
function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Failure) || error.kind !== 'unavailable') return false
  return !/^(40|55P03|57014)/.test(errorCodeOf(error.cause) ?? '')
}

function tooMany(): Failure {
  return new Failure('unavailable', 'The service is overloaded. Please try again.', {
    retryAfterS: 2,
  })
}
