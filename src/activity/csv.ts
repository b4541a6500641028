import { Readable } from 'node:stream'
import type { Tx } from '../db/db.ts'
import { csvLine, type Cell } from '../lib/csv.ts'
import { localTime } from '../lib/days.ts'
import { inTurn } from './in-turn.ts'
import { type PeriodFilter, readPeriod } from './period-store.ts'
import type { ActivityRecord } from './record.ts'

const PAGE = 500
/** A reader that takes nothing for this long is gone, whatever its socket says. */
const STALLED_MS = 60_000

/**
 * The records of a period as CSV, newest first. A page at a time, and the next only when the reader
 * has room: neither memory nor a transaction is held for a slow reader.
 */
export function csvOf(
  tx: Tx,
  filter: PeriodFilter,
  write: { zone: string; credits(micro: bigint): string },
): Readable {
  const columns = columnsOf(write)
  async function* pages(): AsyncGenerator<string> {
    yield csvLine(columns.map(([name]) => name))
    let before: { createdAt: Date; id: string } | undefined
    for (;;) {
      const page = { before, limit: PAGE, offset: 0 }
      const records = await inTurn(filter.accountId, () => readPeriod(tx, filter, page))
      const rows = records.map((record) => csvLine(columns.map(([, value]) => value(record))))
      const stalled = setTimeout(() => stream.destroy(), STALLED_MS)
      try {
        if (rows.length > 0) yield rows.join('')
      } finally {
        clearTimeout(stalled)
      }
      if (records.length < PAGE) return
      before = records.at(-1)
    }
  }
  const stream = Readable.from(pages(), { objectMode: false })
  return stream
}

type Column = [name: string, value: (record: ActivityRecord) => Cell]

function columnsOf(write: { zone: string; credits(micro: bigint): string }): Column[] {
  return [
    ['time', (record) => localTime(record.createdAt, write.zone)],
    ['kind', (record) => record.kind],
    ['model', (record) => record.model],
    ['status', (record) => record.status],
    ['error_code', (record) => record.errorCode],
    ['prompt_tokens', (record) => record.promptTokens],
    ['completion_tokens', (record) => record.completionTokens],
    ['total_tokens', (record) => record.totalTokens],
    ['cost_credits', (record) => write.credits(record.costMicro)],
    ['latency_ms', (record) => record.latencyMs],
    ['workspace_id', (record) => record.workspaceId],
    ['key_id', (record) => record.keyId],
    ['request_id', (record) => record.requestId],
    ['id', (record) => record.id],
  ]
}
