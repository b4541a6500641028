import type { Db } from '../../../db/db.ts'
import { Failure } from '../../../lib/failure.ts'
import { listOf, type Fields } from '../../../lib/json.ts'
import {
  deleteStoredResponse,
  readStoredParts,
  type WantedParts,
} from './stored-responses-store.ts'
import { shownItem } from '../answer/output-items.ts'

export async function showResponse(
  db: Db,
  owned: { accountId: string; id: string; encrypted: boolean },
): Promise<Fields> {
  const { accountId, id, encrypted } = owned
  const { response } = await readOne(db, accountId, { inputs: [], responses: [id] })
  if (response === undefined) throw notFound(id)
  const shown = JSON.parse(response.toString()) as Fields
  const output = listOf(shown.output).map((item) => shownItem(item as Fields, encrypted))
  return { ...shown, output }
}

export async function deleteResponse(
  db: Db,
  { accountId, id }: { accountId: string; id: string },
): Promise<Fields> {
  if (!(await deleteStoredResponse(db, accountId, id))) throw notFound(id)
  return { id, object: 'response', deleted: true }
}

export type ItemPage = { limit: number; order: 'asc' | 'desc'; after?: string | undefined }

export async function listInputItems(
  db: Db,
  { accountId, id }: { accountId: string; id: string },
  page: ItemPage,
): Promise<Fields> {
  const { input } = await readOne(db, accountId, { inputs: [id], responses: [] })
  if (input === undefined) throw notFound(id)
  const items = JSON.parse(input.toString()) as Fields[]
  const ordered = page.order === 'asc' ? items : items.toReversed()
  const start = page.after === undefined ? 0 : ordered.findIndex(({ id }) => id === page.after) + 1
  const data = ordered.slice(start, start + page.limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < ordered.length,
  }
}

async function readOne(db: Db, accountId: string, wanted: WantedParts) {
  const [row] = await db.inTurn(accountId, () => readStoredParts(db, accountId, wanted))
  return row?.whole ? row : { input: undefined, response: undefined }
}

function notFound(id: string): Failure {
  return new Failure('not_found', `There is no response "${id}".`, { param: 'response_id' })
}
