import { groupCommit, type GroupCommit, type GroupCommitOptions } from './group-commit.ts'

export type CommitLanesOptions<Item, Result> = GroupCommitOptions<Item, Result> & {
  lanes: number
  /** Items that touch the same rows must name the same lane: they then keep their order. */
  laneOf(item: Item): string
}

/**
 * Several group commits side by side, so that one transaction's journey to the server and its wait
 * for the disk do not keep everybody else waiting. On the embedded engine, which does one thing at a
 * time anyway, one lane makes the largest batches.
 */
export function commitLanes<Item, Result>(
  options: CommitLanesOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { db, lanes, laneOf, maxWaiting = 10_000 } = options
  const count = db.engine === 'embedded' ? 1 : lanes
  const all = Array.from({ length: count }, () =>
    groupCommit<Item, Result>({ ...options, maxWaiting: Math.ceil(maxWaiting / count) }),
  )
  return {
    submit: (item) => all[count === 1 ? 0 : hash(laneOf(item)) % count]!.submit(item),
    idle: async () => void (await Promise.all(all.map((lane) => lane.idle()))),
  }
}

/** Spreads names evenly; nothing rests on it being hard to guess. */
function hash(name: string): number {
  let sum = 0
  for (let i = 0; i < name.length; i++) sum = (Math.imul(sum, 31) + name.charCodeAt(i)) >>> 0
  return sum
}
