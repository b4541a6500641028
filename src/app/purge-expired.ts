import { purgeUnverified } from '../accounts/accounts-store.ts'
import { purgeChanges } from '../accounts/codes/changes-store.ts'
import { purgeCodes } from '../accounts/codes/codes-store.ts'
import { purgeSmsCodes } from '../accounts/codes/sms-codes-store.ts'
import { purgePasskeyChallenges } from '../accounts/codes/passkey-challenges-store.ts'
import { purgeThrottles } from '../accounts/codes/throttle-store.ts'
import { purgeKeys } from '../accounts/credentials/api-keys-store.ts'
import { purgeSessions } from '../accounts/credentials/sessions-store.ts'
import { eraseDeletedAccounts } from '../accounts/profile/deletion.ts'
import { purgeAttempts, purgeSpentTokens } from '../accounts/sign-in/attempts-store.ts'
import { purgeMoves } from '../activity/activity-store.ts'
import { purgeHealth } from '../activity/health-store.ts'
import { purgeAuditRuns } from '../operators/accounting/audit-runs-store.ts'
import { purgeMinutes } from '../activity/upstream-minutes-store.ts'
import { purgeRefusals } from '../operators/refusals-store.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { purgeJob } from '../db/purge-store.ts'
import { purgeUnpaid } from '../gateway/bill/allowance-store.ts'
import { purgeEvents } from '../gateway/responses/background/events-store.ts'
import {
  deleteAllResponseJobs,
  purgeResponseJobs,
} from '../gateway/responses/background/jobs-store.ts'
import {
  deleteAllStoredResponses,
  purgeStoredResponses,
} from '../gateway/responses/stored/stored-responses-store.ts'
import { purgeVideoJobs } from '../gateway/videos/jobs-store.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import { purgeNotifications } from '../notices/notices-store.ts'
import { purgeMessages } from '../notices/outbox-store.ts'
import { purgeSmsNotices } from '../notices/sms-budget-store.ts'
import { purgeDeliveries, purgeOrphans } from '../webhooks/deliveries-store.ts'

/**
 * Every table that would grow with time alone. Activity and stored answers have background
 * jobs of their own. docs/operations.md says of each table what bounds it.
 */
export function purgeExpired({ db, config }: { db: Db; config: Config }): BackgroundJob {
  return purgeJob({
    db,
    name: 'purge-expired',
    purges: [
      purgeChanges,
      purgeCodes,
      purgeThrottles,
      purgeSmsCodes,
      purgeSmsNotices,
      purgePasskeyChallenges,
      purgeAttempts,
      purgeSpentTokens,
      purgeMessages,
      purgeMoves,
      purgeUnpaid,
      purgeStoredResponses,
      purgeEvents,
      purgeResponseJobs,
      purgeHealth,
      purgeAuditRuns,
      purgeDeliveries,
      purgeOrphans,
      purgeMinutes,
      purgeRefusals,
      (tx, batch) => purgeSessions(tx, batch, config.ENDED_SESSION_DAYS),
      (tx, batch) => purgeKeys(tx, batch, config.REVOKED_KEY_DAYS),
      (tx, batch) => purgeUnverified(tx, batch, config.UNVERIFIED_ACCOUNT_DAYS),
      (_, most) =>
        eraseDeletedAccounts(db, {
          most,
          erasures: [deleteAllStoredResponses, deleteAllResponseJobs],
        }),
      (tx, batch) => purgeNotifications(tx, batch, config.NOTIFICATION_DAYS),
      (tx, batch) => purgeVideoJobs(tx, batch, config.VIDEO_JOB_DAYS),
    ],
  })
}
