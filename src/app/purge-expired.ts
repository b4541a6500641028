import { trimErased, trimUnverified } from '../accounts/accounts-store.ts'
import { trimCodes } from '../accounts/codes/codes-store.ts'
import { trimSmsCodes } from '../accounts/codes/sms-codes-store.ts'
import { trimThrottles } from '../accounts/codes/throttle-store.ts'
import { trimKeys } from '../accounts/credentials/api-keys-store.ts'
import { trimSessions } from '../accounts/credentials/sessions-store.ts'
import { trimAttempts, trimSpentTokens } from '../accounts/sign-in/attempts-store.ts'
import { trimMoves } from '../activity/activity-store.ts'
import { trimHealth } from '../activity/health-store.ts'
import { trimAuditRuns } from '../operators/accounting/audit-runs-store.ts'
import { trimMinutes } from '../activity/upstream-minutes-store.ts'
import { trimRefusals } from '../operators/refusals-store.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { trimDuty } from '../db/trim-store.ts'
import { trimKept, trimKeptOfErased } from '../gateway/responses/kept/kept-store.ts'
import { trimVideoJobs } from '../gateway/videos/jobs-store.ts'
import type { Duty } from '../lib/clock.ts'
import { trimNotifications } from '../notices/notices-store.ts'
import { trimMessages } from '../notices/outbox-store.ts'
import { trimSmsNotices } from '../notices/sms-budget-store.ts'
import { trimDeliveries, trimOrphans } from '../webhooks/deliveries-store.ts'

/**
 * Every table that would grow with time alone. Activity and kept answers have duties of their own,
 * and docs/operations.md says of each table what bounds it.
 */
export function trimming({ db, config }: { db: Db; config: Config }): Duty {
  return trimDuty({
    db,
    name: 'trimming',
    trims: [
      trimCodes,
      trimThrottles,
      trimSmsCodes,
      trimSmsNotices,
      trimAttempts,
      trimSpentTokens,
      trimMessages,
      trimMoves,
      trimKept,
      trimKeptOfErased,
      trimHealth,
      trimAuditRuns,
      trimDeliveries,
      trimOrphans,
      trimMinutes,
      trimRefusals,
      (tx, batch) => trimSessions(tx, batch, config.ENDED_SESSION_DAYS),
      (tx, batch) => trimKeys(tx, batch, config.REVOKED_KEY_DAYS),
      (tx, batch) => trimUnverified(tx, batch, config.UNVERIFIED_ACCOUNT_DAYS),
      (tx, batch) => trimErased(tx, batch, config.DELETED_ACCOUNT_DAYS),
      (tx, batch) => trimNotifications(tx, batch, config.NOTIFICATION_DAYS),
      (tx, batch) => trimVideoJobs(tx, batch, config.VIDEO_JOB_DAYS),
    ],
  })
}
