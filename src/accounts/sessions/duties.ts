import type { Duty } from '../../lib/duty.ts'
import type { Accounts } from '../accounts.ts'
import { trimCodes } from '../codes/codes-store.ts'
import { trimSmsCodes } from '../codes/sms-codes-store.ts'
import { trimSessions } from '../credentials/sessions-store.ts'
import { trimThrottles } from '../codes/throttle-store.ts'

/** The periodic work of accounts: the last use of keys is written, what has expired is deleted. */
export function accountDuties(accounts: Accounts): Duty[] {
  return [
    { name: 'key-uses', everyMs: 5_000, run: () => accounts.apiKeys.flushUses() },
    {
      name: 'accounts-trim',
      everyMs: 3_600_000,
      async run() {
        await trimCodes(accounts.db)
        await trimThrottles(accounts.db)
        await trimSmsCodes(accounts.db)
        await trimSessions(accounts.db)
      },
    },
  ]
}
