import type { Accounts } from '../accounts.ts'
import { trimCodes } from '../codes/codes-store.ts'
import { trimSessions } from '../credentials/sessions-store.ts'
import { trimThrottles } from '../codes/throttle-store.ts'

/** What this room does without being asked. */
export function accountDuties(
  accounts: Accounts,
): { name: string; everyMs: number; run(signal: AbortSignal): Promise<void> }[] {
  return [
    { name: 'key-uses', everyMs: 5_000, run: () => accounts.apiKeys.flushUses() },
    {
      name: 'accounts-trim',
      everyMs: 3_600_000,
      async run() {
        await trimCodes(accounts.db)
        await trimThrottles(accounts.db)
        await trimSessions(accounts.db)
      },
    },
  ]
}
