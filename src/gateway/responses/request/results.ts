import { kindOf, type SentItem } from './item-kinds.ts'
import { callId } from './items.ts'

/** A result, and its place among the items. */
export type SentResult = SentItem & { position: number }
/** Results of one call id, in the order in which they were sent, and which one is next. */
export type WaitingResults = { results: SentResult[]; next: number }

export function resultsOf(items: readonly SentItem[]): Map<string, WaitingResults> {
  const waiting = new Map<string, WaitingResults>()
  items.forEach((sent, position) => {
    if (kindOf(sent) !== 'result') return
    const id = callId(sent)
    const known = waiting.get(id) ?? { results: [], next: 0 }
    known.results.push({ ...sent, position })
    waiting.set(id, known)
  })
  return waiting
}
