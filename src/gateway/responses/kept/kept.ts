import type { Db } from '../../../db/db.ts'
import type { Duty } from '../../../lib/duty.ts'
import { Failure } from '../../../lib/failure.ts'
import { listOf, type Fields } from '../../../lib/fields.ts'
import { deleteKept, readKept, trimKept, trimLargeKeepers, trimOrphans } from './kept-store.ts'
import { shownItem } from '../answer/output-items.ts'

/** A response that is kept, as its caller saw it. */
export async function showResponse(
  db: Db,
  owned: { accountId: string; id: string; encrypted: boolean },
): Promise<Fields> {
  const { response } = await requireKept(db, owned)
  const shown = JSON.parse(response.toString()) as Fields
  const output = listOf(shown.output).map((item) => shownItem(item as Fields, owned.encrypted))
  return { ...shown, output }
}

export async function deleteResponse(
  db: Db,
  { accountId, id }: { accountId: string; id: string },
): Promise<Fields> {
  if (!(await deleteKept(db, accountId, id))) throw notFound(id)
  return { id, object: 'response', deleted: true }
}

export type ItemPage = { limit: number; order: 'asc' | 'desc'; after?: string | undefined }

/** What was sent for a response, page by page. */
export async function listInputItems(
  db: Db,
  owned: { accountId: string; id: string },
  page: ItemPage,
): Promise<Fields> {
  const { input } = await requireKept(db, owned)
  if (input === undefined) throw notFound(owned.id)
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

async function requireKept(db: Db, { accountId, id }: { accountId: string; id: string }) {
  const [row] = await readKept(db, accountId, [id])
  if (row === undefined) throw notFound(id)
  return row
}

function notFound(id: string): Failure {
  return new Failure('not_found', `There is no response "${id}".`, { param: 'response_id' })
}

const TRIM_EVERY_MS = 600_000
const TRIM_AT_ONCE = 500
/** Of all responses of an account: free models could fill any disk. */
const MOST_PER_ACCOUNT_BYTES = 200_000_000

export function keptTrim(db: Db): Duty {
  const mostBytes = MOST_PER_ACCOUNT_BYTES
  return {
    name: 'kept-responses',
    everyMs: TRIM_EVERY_MS,
    async run(signal) {
      while (!signal.aborted && (await trimKept(db, TRIM_AT_ONCE)) === TRIM_AT_ONCE);
      const batch = TRIM_AT_ONCE
      while (!signal.aborted && (await trimLargeKeepers(db, mostBytes, batch)) === batch);
      await trimOrphans(db)
    },
  }
}
