import type { Random } from '../load/random.ts'
import { readJournal } from './journal.ts'
import type { Cut, Life } from './life.ts'

type NamedCut = Cut & { moment: string }

/**
 * In the order of time; the first while the server is starting. Besides any moment at all there are
 * the worst ones: just before an fsync, and just after a file got another name.
 */
export function chooseCuts(life: Life, random: Random, count: number): NamedCut[] {
  const all = [...readJournal(life.journal)]
  const starting = all.filter((one) => one.at < life.readyAt)
  const records = all.slice(starting.length)
  const at = (places: typeof records) => random.pick(places.length > 0 ? places : records).at
  const moments: Record<string, () => number> = {
    'at any moment': () => at(records),
    'just before an fsync': () => at(records.filter(({ op }) => op.op === 'sync')),
    'just after a rename': () => at(records.filter((_, i) => records[i - 1]?.op.op === 'rename')),
  }
  const cuts = Array.from({ length: count }, (_, nth): NamedCut => {
    const moment = nth === 0 ? 'while starting' : random.pick(Object.keys(moments))
    return {
      at: (moments[moment] ?? (() => at(starting)))(),
      moment,
      share: random.pick([0, 0, 0.1, 0.5, 0.9]),
      names: random.pick([0, 0, 3, 20, Infinity]),
      random: random.fork(`cut ${nth} of ${life.journal.length}`),
    }
  })
  return cuts.toSorted((a, b) => a.at - b.at)
}
