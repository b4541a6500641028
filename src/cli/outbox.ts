import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
import { resendMessage } from '../operators/message-actions.ts'
import type { Db } from '../db/db.ts'
import { listMessages, type OutboxRow } from '../notices/outbox-store.ts'
import type { Print } from './print.ts'

const HELP = `outbox list [--state waiting|sent|dead|folded] [--limit 50]
                      list email and SMS messages that are waiting or undeliverable (dead),
                      or those of one state
outbox resend <id> [--reason <text>] [--operator <name>]
                      queue an undeliverable message again`

const STATES = ['waiting', 'sent', 'dead', 'folded'] as const

/** `npm run mlango -- outbox …`. The text of a message is never shown: it may contain a code. */
export const outboxCommand = {
  name: 'outbox',
  help: HELP,
  async run(args: string[], { db, print }: { db: Db; print: Print }): Promise<number> {
    const [verb, ...rest] = args
    if (verb === 'list') return list(db, rest, print)
    if (verb === 'resend') return resend(db, rest, print)
    print(HELP)
    return 2
  },
}

async function list(db: Db, args: string[], print: Print): Promise<number> {
  const options = { state: { type: 'string' }, limit: { type: 'string' } } as const
  const { state: stateText, limit } = parseArgs({ args, options }).values
  const state = STATES.find((one) => one === stateText)
  if ((stateText !== undefined && state === undefined) || !/^[1-9]\d{0,3}$/.test(limit ?? '50')) {
    print(HELP)
    return 2
  }
  const rows = await listMessages(db, { state, limit: Number(limit ?? '50') })
  for (const row of rows) print(line(row))
  print(`${rows.length} shown.`)
  return 0
}

async function resend(db: Db, [id = '', ...args]: string[], print: Print): Promise<number> {
  const options = { reason: { type: 'string' }, operator: { type: 'string' } } as const
  const { reason, operator } = parseArgs({ args, options }).values
  const revived = await resendMessage(db, commandActor(operator), { id, reason })
  print(
    revived
      ? 'The message has been queued again.'
      : 'There is no undeliverable message with this id, or its text has been deleted.',
  )
  return revived ? 0 : 1
}

function line(row: OutboxRow): string {
  const columns = [
    row.id,
    row.createdAt.toISOString(),
    row.channel,
    row.recipient,
    row.state,
    `attempts=${row.attempts}`,
    row.lastError ?? '-',
    ...(row.state === 'dead' && !row.resendable ? ['text deleted'] : []),
  ]
  return columns.join('  ')
}
