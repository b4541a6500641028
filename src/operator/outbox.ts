import { parseArgs } from 'node:util'
import type { Db } from '../db/db.ts'
import { isUuid } from '../lib/ids.ts'
import { listMessages, reviveMessage } from '../notices/outbox-store.ts'
import type { Print } from './print.ts'
import type { OutboxRow } from '../notices/outbox-store.ts'

const HELP = `outbox list [--state waiting|sent|dead] [--limit 50]
                      mails and SMS that wait or could not be delivered
outbox resend <id>    put a dead letter back in the queue`

/** `npm run mlango -- outbox …`. What a message says is never shown: it may hold a code. */
export const outboxCommand = {
  name: 'outbox',
  help: HELP,
  async run(args: string[], { db, print }: { db: Db; print: Print }): Promise<number> {
    const [verb, ...rest] = args
    if (verb === 'list') return list(db, rest, print)
    if (verb === 'resend') return resend(db, rest[0] ?? '', print)
    print(HELP)
    return 2
  },
}

async function list(db: Db, args: string[], print: Print): Promise<number> {
  const options = { state: { type: 'string' }, limit: { type: 'string' } } as const
  const { state, limit } = parseArgs({ args, options }).values
  const known = state === undefined || state === 'waiting' || state === 'sent' || state === 'dead'
  if (!known || !/^[1-9]\d{0,3}$/.test(limit ?? '50')) {
    print(HELP)
    return 2
  }
  const rows = await listMessages(db, { state, limit: Number(limit ?? '50') })
  for (const row of rows) print(line(row))
  print(`${rows.length} shown.`)
  return 0
}

async function resend(db: Db, id: string, print: Print): Promise<number> {
  const revived = isUuid(id) && (await reviveMessage(db, id))
  print(
    revived
      ? 'The message is in the queue again.'
      : 'There is no dead letter with this id whose text is still kept.',
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
    `tries=${row.attempts}`,
    row.lastError ?? '-',
    ...(row.state === 'dead' && !row.resendable ? ['wiped'] : []),
  ]
  return columns.join('  ')
}
