import { MOST_SENT, scanJson } from '../../../lib/json-scan.ts'
import { listOf, type Fields } from '../../../lib/json.ts'
import { MOST_PARTS } from '../../chat/messages.ts'
import type { SentItem } from '../request/item-kinds.ts'
import { refersToTooMuch, type HistoryReading } from './history.ts'
import type { ResponseStorage } from './storage.ts'

/** A conversation up to a response: JSON lists of items, in order. Never changed, so that they are shared. */
export type KeptConversation = { id: string; pieces: readonly Buffer[]; bytes: number }

/** As much as a request may have. */
const MOST_BYTES = 14_500_000

/**
 * Conversations that a connection keeps while it is open, since they are not stored: of each stream
 * the one of its latest response. `hold` counts memory; where there is none, nothing is kept.
 */
export class KeptConversations {
  readonly #hold: (bytes: number) => boolean
  /** Those of the streams that were quiet for longest first. */
  readonly #latest = new Map<string, KeptConversation>()
  #bytes = 0

  constructor(hold: (bytes: number) => boolean) {
    this.#hold = hold
  }

  find(id: string | null | undefined): KeptConversation | undefined {
    for (const kept of this.#latest.values()) if (kept.id === id) return kept
    return undefined
  }

  keep(stream: string, kept: KeptConversation): void {
    this.#forget(stream)
    if (kept.bytes > MOST_BYTES) return
    for (const quiet of this.#latest.keys()) {
      if (this.#bytes + kept.bytes <= MOST_BYTES) break
      this.#forget(quiet)
    }
    if (!this.#hold(kept.bytes)) return
    this.#bytes += kept.bytes
    this.#latest.set(stream, kept)
  }

  drop(id: string | null | undefined): void {
    for (const [stream, kept] of this.#latest) if (kept.id === id) this.#forget(stream)
  }

  #forget(stream: string): void {
    const kept = this.#latest.get(stream)
    if (kept === undefined) return
    this.#latest.delete(stream)
    this.#bytes -= kept.bytes
    this.#hold(-kept.bytes)
  }
}

/** The items of a kept conversation, measured and counted like those that are read from the database. */
export function keptItems(
  { pieces, bytes }: KeptConversation,
  { roomBytes, hold }: Pick<HistoryReading, 'roomBytes' | 'hold'>,
): SentItem[] {
  if (bytes > roomBytes) throw refersToTooMuch()
  hold(bytes)
  let values = 0
  const items: SentItem[] = []
  for (const piece of pieces) {
    values += scanJson(piece).values
    if (values > MOST_SENT.all) throw refersToTooMuch()
    for (const item of listOf(JSON.parse(piece.toString()))) {
      items.push({ item: item as Fields, at: 'previous_response_id' })
    }
  }
  if (items.length > MOST_PARTS) throw refersToTooMuch()
  return items
}

/** What a response does with the conversations of its connection. */
export type KeptPlace = {
  conversations: KeptConversations
  /** Where it is kept. */
  stream: string
  /** 24 characters: of the id that the response gets. */
  seed: string
}

/** Keeps what is not stored. `before` is what the request continues, `said` what it brings along. */
export function keptBeside(
  storage: ResponseStorage,
  { conversations, stream, seed }: KeptPlace,
  { before, said }: { before: KeptConversation | undefined; said: readonly SentItem[] },
): ResponseStorage {
  const id = `resp_${seed}`
  const sent = Buffer.from(JSON.stringify(said.map(({ item }) => item)))
  return {
    ...storage,
    store(response) {
      const stored = storage.store(response)
      if (stored) return true
      const answered = Buffer.from(JSON.stringify(listOf(response().output)))
      const pieces = [...(before?.pieces ?? []), sent, answered]
      const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
      conversations.keep(stream, { id, pieces, bytes })
      return false
    },
    failed() {
      conversations.drop(id)
      conversations.drop(before?.id)
    },
  }
}
