import type { Db } from '../db/db.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import { uuidv7 } from '../lib/ids.ts'
import { reaches, type SmsCountries } from './sms-countries.ts'
import { localeOf } from './language.ts'
import { digestMessage } from './messages.ts'
import { readRecipient } from './notices-store.ts'
import { insertMessage, type ClaimedMessage } from './outbox-store.ts'
import { foldNotice, takeDigests, takeNoticePlace, type Digest } from './sms-budget-store.ts'

/** Every SMS costs money, so every one is checked here before it is sent. */
export type SmsRules = {
  countries: SmsCountries
  /** To one account on one day; codes are not counted here. */
  noticesPerDay: number
  timeZone: string
}

export type Verdict = 'send' | 'folded' | 'unreachable'

/** Half of a day's notices are reserved for security: payments cannot use them up. */
export async function judgeSms(db: Db, rules: SmsRules, message: ClaimedMessage): Promise<Verdict> {
  if (!reaches(rules.countries, message.to)) return 'unreachable'
  if (message.notice === undefined) return 'send'
  const { noticesPerDay, timeZone } = rules
  const most = message.notice === 'security' ? noticesPerDay : Math.ceil(noticesPerDay / 2)
  if (await takeNoticePlace(db, message, { most, timeZone })) return 'send'
  await foldNotice(db, message, timeZone)
  return 'folded'
}

const DIGEST_EVERY_MS = 600_000
const BATCH = 50

/** One message on the next morning says how many notices were left out. */
export function digestJob(db: Db, rules: SmsRules): BackgroundJob {
  return {
    name: 'sms-digests',
    everyMs: DIGEST_EVERY_MS,
    async run(signal) {
      while (!signal.aborted && (await sendDigests(db, rules)) === BATCH);
    },
  }
}

function sendDigests(db: Db, { countries, timeZone }: SmsRules): Promise<number> {
  return db.begin(async (tx) => {
    const digests = await takeDigests(tx, { timeZone, limit: BATCH })
    for (const { accountId, count } of byAccount(digests)) {
      const to = await readRecipient(tx, accountId)
      if (!to?.phone || !reaches(countries, to.phone)) continue
      const content = digestMessage(localeOf(to.locale), count)
      await insertMessage(tx, { id: uuidv7(), channel: 'sms', accountId, to: to.phone, ...content })
    }
    return digests.length
  })
}

/** After an outage several days may wait: they share one message. */
function byAccount(digests: Digest[]): Digest[] {
  const sums = new Map<string, number>()
  for (const { accountId, count } of digests) {
    sums.set(accountId, (sums.get(accountId) ?? 0) + count)
  }
  return [...sums].map(([accountId, count]) => ({ accountId, count }))
}
