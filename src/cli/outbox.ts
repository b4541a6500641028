import { noteRead } from '../operators/audit-log.ts'
import { resendMessage } from '../operators/message-actions.ts'
import type { Db } from '../db/db.ts'
import { listMessages, type OutboxRow } from '../notices/outbox-store.ts'
import { command, done, failed, list, readLimit, TEXT, tableRow, verb } from './command.ts'

const HELP = `outbox list [--state waiting|sent|dead|folded] [--limit 50]
                      list email and SMS messages that are waiting or undeliverable (dead),
                      or those of one state
outbox resend <id> [--reason <text>] [--operator <name>]
                      queue an undeliverable message again`

const STATES = ['waiting', 'sent', 'dead', 'folded'] as const

type Parts = { db: Db }

/** The text of a message is never shown: it may contain a code. */
export const outboxCommand = command<Parts>('outbox', HELP, {
  list: verb([], { state: TEXT, limit: TEXT }, async ({ db }: Parts, given) => {
    const state = STATES.find((one) => one === given.state)
    const limit = readLimit(given.limit)
    if (state !== given.state || limit === undefined) return 'usage'
    const target = { type: 'messages', id: state ?? 'open' }
    await noteRead(db, given.actor, { action: 'read.messages', target })
    return list((await listMessages(db, { state, limit })).map(line))
  }),
  resend: verb(['id'], {}, async ({ db }: Parts, { id, actor, reason }) => {
    const revived = await resendMessage(db, actor, { id, reason })
    return revived
      ? done('The message has been queued again.')
      : failed('There is no undeliverable message with this id, or its text has been deleted.')
  }),
})

function line(row: OutboxRow): string {
  return tableRow(
    row.id,
    row.createdAt.toISOString(),
    row.channel,
    row.recipient,
    row.state,
    `attempts=${row.attempts}`,
    row.lastError ?? '-',
    row.state === 'dead' && !row.resendable ? 'text deleted' : '',
  )
}
