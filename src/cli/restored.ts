import {
  secureRestored,
  type KeysAfterRestore,
  type Restored,
} from '../operators/backup-actions.ts'
import type { Db } from '../db/db.ts'
import { command, done, failed, TEXT, verb } from './command.ts'

const HELP = `restored --keys keep|revoke
                      after the tools of a server of your own have restored the database, and
                      before the service starts: what "restore" does by itself (--operator <name>)`

/** `npm run mlango -- restored --keys …`, for a database of DATABASE_URL. */
export const restoredCommand = command<{ db: Db }>(
  'restored',
  HELP,
  verb([], { keys: TEXT }, async ({ db }: { db: Db }, { keys: wish, actor }) => {
    const keys = readKeysOption(wish)
    if (keys === undefined) return WHICH_KEYS
    return done(...restoredLines(await secureRestored(db, actor, { keys }), keys))
  }),
)

export function readKeysOption(text: string | undefined): KeysAfterRestore | undefined {
  return text === 'keep' || text === 'revoke' ? text : undefined
}

/** It is asked before anything is done: nobody can know which keys were revoked since. */
export const WHICH_KEYS = failed(
  'Say what becomes of the API keys: those that were revoked after the backup come back with it.',
  '  --keys revoke  if a key may have leaked since: every customer makes new ones',
  '  --keys keep    if none has: programs of customers go on working',
)

/** What came back, so that whoever restores can do again what was done since. */
export function restoredLines(restored: Restored, keys: KeysAfterRestore): string[] {
  const { sessions, operators } = restored
  const people = operators.map(
    (one) => `${one.email ?? one.phoneNumber ?? one.accountId} (${one.role})`,
  )
  return [
    `Sessions ended: ${sessions}. Everybody signs in again.`,
    keys === 'revoke'
      ? `API keys revoked: ${restored.keys}.`
      : `API keys kept: ${restored.keys}, also those that were revoked since the backup.`,
    'As they were when the backup was made, whatever happened since:',
    '  passwords, addresses, phone numbers, second factors and recovery codes',
    '  suspended and deleted accounts; do it again: accounts suspend',
    `  operators: ${people.join(', ') || 'none'}; do it again: operators remove`,
    '  messages and webhooks that were waiting are sent once more',
  ]
}
