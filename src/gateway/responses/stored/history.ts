import type { Db } from '../../../db/db.ts'
import { Failure, promptTooLong } from '../../../lib/failure.ts'
import { MOST_SENT, scanJson } from '../../../lib/json-scan.ts'
import { fieldsOf, listOf, textOf, type Fields } from '../../../lib/json.ts'
import { shown } from '../../chat/dialects.ts'
import { MOST_PARTS } from '../../chat/messages.ts'
import { placeOfItem } from '../answer/output-items.ts'
import { isReference, type SentItem } from '../request/item-kinds.ts'
import {
  bytesOfParts,
  findChain,
  readStoredParts,
  type ChainLink,
  type StoredParts,
  type WantedParts,
} from './stored-responses-store.ts'

const LONGEST_CHAIN = 200

/** What may be read for a request, and who is asked before. */
export type HistoryReading = {
  db: Db
  accountId: string
  /** What is left of the limit of a request beside the request itself. */
  roomBytes: number
  /** Throws where the account cannot pay for a prompt that has at least so many tokens. */
  requireFunds(promptTokens: number): Promise<void>
  /** Throws where there is no memory for it. */
  hold(bytes: number): void
}

/**
 * `own` is what was sent, with the items that it refers to; `items` is the whole conversation, and
 * `firstId` the response that it began with.
 */
export type WholeConversation = {
  own: SentItem[]
  items: SentItem[]
  firstId?: string | undefined
}

/**
 * A request with what it refers to. Its size and the account's money are looked at before anything of
 * it is read, and each response is read once, however often it is referred to.
 */
export async function wholeConversation(
  reading: HistoryReading,
  sent: SentItem[],
  previousId: string | undefined,
): Promise<WholeConversation> {
  const references = sent.filter(isReference)
  return reading.db.inTurn(reading.accountId, async () => {
    const chain = previousId === undefined ? [] : await requireChain(reading, previousId)
    const wanted = wantedParts(chain, references)
    const bytes = await bytesOfParts(reading.db, reading.accountId, wanted)
    if (bytes > reading.roomBytes) throw refersToTooMuch()
    await reading.requireFunds(chain[0]?.promptTokens ?? 0)
    reading.hold(bytes)
    const stored = readItems(await readStoredParts(reading.db, reading.accountId, wanted))
    const before = chain.toReversed().flatMap(({ id }) => stored.ofResponse.get(id) ?? [])
    const own = withReferences(sent, stored.byId, reading)
    if (before.length + own.length > MOST_PARTS) throw refersToTooMuch()
    return { own, items: [...before.map(fromBefore), ...own], firstId: chain.at(-1)?.id }
  })
}

/** Anything else is not looked up: a text column cannot hold every string. */
const RESPONSE_ID = /^resp_[0-9A-Za-z]{24}$/

/** The responses before a request, newest first. */
async function requireChain(
  { db, accountId, roomBytes }: HistoryReading,
  previousId: string,
): Promise<ChainLink[]> {
  if (!RESPONSE_ID.test(previousId)) throw previousNotFound('there is no such response')
  const limits = { most: LONGEST_CHAIN, mostBytes: roomBytes }
  const chain = await findChain(db, accountId, previousId, limits)
  if (chain.length === 0) throw previousNotFound('there is no such response')
  if (chain.at(-1)!.previousId !== undefined || !chain.every(({ hasInput }) => hasInput)) {
    throw previousNotFound('a part of what was said before it is gone, or it is too long')
  }
  return chain
}

function wantedParts(chain: readonly ChainLink[], references: readonly SentItem[]): WantedParts {
  const links = chain.map(({ id }) => id)
  const inputs = new Set(links)
  const responses = new Set(links)
  for (const { item } of references) {
    const place = placeOf(item)
    if (place !== undefined) (place.isInput ? inputs : responses).add(place.response)
  }
  return { inputs: [...inputs], responses: [...responses] }
}

type StoredItems = { ofResponse: Map<string, Fields[]>; byId: Map<unknown, Fields> }

function readItems(rows: readonly StoredParts[]): StoredItems {
  const stored: StoredItems = { ofResponse: new Map(), byId: new Map() }
  let values = 0
  const parsed = (json: Buffer | undefined): unknown => {
    if (json === undefined) return []
    values += scanJson(json).values
    if (values > MOST_SENT.all) throw refersToTooMuch()
    return JSON.parse(json.toString())
  }
  for (const { id, input, response } of rows) {
    const answered = parsed(response)
    const items = [...listOf(parsed(input)), ...listOf(fieldsOf(answered).output)] as Fields[]
    stored.ofResponse.set(id, items)
    // An item that was sent again with its id is found where it came from.
    for (const item of items) if (placeOf(item)?.response === id) stored.byId.set(item.id, item)
  }
  return stored
}

function placeOf({ id }: Fields) {
  return placeOfItem(textOf(id) ?? '')
}

function fromBefore(item: Fields): SentItem {
  return { item, at: 'previous_response_id' }
}

/** What one item refers to may be named again and again, so the sum of all is what counts. */
function withReferences(
  sent: SentItem[],
  byId: ReadonlyMap<unknown, Fields>,
  { roomBytes, hold }: HistoryReading,
): SentItem[] {
  const found = new Map<unknown, { item: Fields; bytes: number }>()
  let bytes = 0
  const own = sent.map((one) => {
    if (!isReference(one)) return one
    const { id } = one.item
    const known = found.get(id) ?? measured(byId.get(id), one)
    found.set(id, known)
    bytes += known.bytes
    if (bytes > roomBytes) throw refersToTooMuch()
    return { item: known.item, at: one.at }
  })
  hold(bytes)
  return own
}

function measured(item: Fields | undefined, sent: SentItem): { item: Fields; bytes: number } {
  if (item === undefined) throw itemNotFound(sent)
  return { item, bytes: Buffer.byteLength(JSON.stringify(item)) }
}

function previousNotFound(why: string): Failure {
  return new Failure('invalid', `previous_response_id: ${why}.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  })
}

function itemNotFound({ item, at }: SentItem): Failure {
  const id = shown(textOf(item.id) ?? '')
  const message = `${at}: there is no item "${id}". It was not stored, or no longer is.`
  return new Failure('not_found', message, { param: `${at}.id` })
}

export function refersToTooMuch(): Failure {
  return promptTooLong('invalid', { param: 'input' })
}
