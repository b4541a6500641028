import type { Db } from '../../../db/db.ts'
import { Failure } from '../../../lib/failure.ts'
import { listOf, textOf, type Fields } from '../../../lib/json.ts'
import { shown } from '../../chat/dialects.ts'
import { isReference, type SentItem } from '../request/item-kinds.ts'
import {
  readStoredResponses,
  readResponseChain,
  type StoredResponse,
} from './stored-responses-store.ts'
import { responseOfItem } from '../answer/output-items.ts'

const LONGEST_CHAIN = 200
/** The limit of a request. */
const LARGEST_CHAIN_BYTES = 14_500_000

/** Anything else is not looked up: a text column cannot hold every string. */
const RESPONSE_ID = /^resp_[0-9A-Za-z]{24}$/

/** The whole conversation before a request, oldest first. */
export async function historyOf(
  db: Db,
  accountId: string,
  previousId: string,
): Promise<SentItem[]> {
  if (!RESPONSE_ID.test(previousId)) throw previousNotFound('there is no such response')
  const limits = { most: LONGEST_CHAIN, mostBytes: LARGEST_CHAIN_BYTES }
  const chain = await readResponseChain(db, accountId, previousId, limits)
  if (chain.length === 0) throw previousNotFound('there is no such response')
  if (chain.at(-1)!.previousId !== undefined || chain.some(({ input }) => input === undefined)) {
    throw previousNotFound('a part of what was said before it is gone, or it is too long')
  }
  const items = chain.toReversed().flatMap((row) => [...inputOf(row), ...outputOf(row)])
  return items.map((item) => ({ item, at: 'previous_response_id' }))
}

export async function withReferences(
  db: Db,
  accountId: string,
  items: readonly SentItem[],
): Promise<SentItem[]> {
  const references = items.filter(isReference)
  const ids = references.flatMap(({ item }) => responseOfItem(textOf(item.id) ?? '') ?? [])
  const rows = await readStoredResponses(db, accountId, [...new Set(ids)])
  const stored = new Map<unknown, Fields>(
    rows.flatMap((row) => [...inputOf(row), ...outputOf(row)]).map((item) => [item.id, item]),
  )
  return items.map((sent) => {
    if (!isReference(sent)) return sent
    const item = stored.get(sent.item.id)
    if (item === undefined) throw itemNotFound(sent)
    return { item, at: sent.at }
  })
}

function inputOf({ input }: StoredResponse): Fields[] {
  return input === undefined ? [] : (JSON.parse(input.toString()) as Fields[])
}

function outputOf({ response }: StoredResponse): Fields[] {
  return listOf((JSON.parse(response.toString()) as Fields).output) as Fields[]
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
