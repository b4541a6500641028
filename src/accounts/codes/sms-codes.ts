import type { Tx } from '../../db/db.ts'
import { Failure, invalidField } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'
import { hmacSha256 } from '../../lib/secrets.ts'
import type { CodePurpose } from '../../notices/language.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import type { Asker } from './asker.ts'
import { smsCodesToday, takeSmsCode } from './sms-codes-store.ts'

/** Thrown for a number in a country to which no message goes. */
export function requireReachable({ sms }: Pick<Accounts, 'sms'>, phoneNumber: string): void {
  if (sms.reaches(phoneNumber)) return
  throw invalidField('phone_number', 'is in a country to which we cannot send messages')
}

/**
 * For a number in a country that we do not serve, the answer is the same as for an unknown number.
 * Only a caller who has given a password or a session is told why no code was sent.
 */
export function reachableAccount(
  { sms }: Pick<Accounts, 'sms'>,
  wanted: {
    account?: Account | undefined
    to?: string | undefined
    channel: string
    purpose: CodePurpose
  },
): Account | undefined {
  const { account, to, channel, purpose } = wanted
  if (channel !== 'phone' || to === undefined || sms.reaches(to)) return account
  if (purpose !== 'login_mfa' && purpose !== 'change_mfa') return undefined
  throw new Failure(
    'forbidden',
    'Your second factor is a code by SMS, and we cannot send messages to the country of your phone_number. Please contact us.',
    { param: 'phone_number' },
  )
}

/**
 * The last fifth of a day's codes is for those who have shown something: a password, a session, a
 * device that has signed in before. A number that is yet to be verified is anybody's, whatever
 * account names it: accounts are free.
 */
const STRANGERS_SHARE = 0.8
const ALL = 'codes'

type Asked = { purpose: CodePurpose; account: Account | undefined; asker: Asker }

/**
 * Counts an SMS code against the limits of the day, per requesting address and in all. This bounds
 * SMS pumping, where an attacker earns a share of the price of each message. A code that goes to
 * nobody is treated like any other, so the answer gives nothing away.
 */
export async function countSmsCode(
  accounts: Pick<Accounts, 'clock' | 'keys' | 'log' | 'sms'>,
  tx: Tx,
  { purpose, account, asker }: Asked,
): Promise<void> {
  const { sms, keys } = accounts
  if (asker.address !== undefined) {
    const network = networkOf(asker.address, { v4: 32, v6: 64 })
    const bucket = `address:${hmacSha256(keys.identifiers, network).toString('hex')}`
    if (!(await takeSmsCode(tx, bucket, sms.codesPerAddress))) throw usedUp(accounts, 'address')
  }
  const shown = SHOWN.has(purpose) || (purpose === 'reset_password' && asker.known)
  const most = Math.ceil(sms.codesPerDay * (shown ? 1 : STRANGERS_SHARE))
  const left = account ? await takeSmsCode(tx, ALL, most) : (await smsCodesToday(tx, ALL)) < most
  if (!left) throw usedUp(accounts, 'all')
}

/** Sent only to who has given a password or a session. */
const SHOWN = new Set<CodePurpose>(['login_mfa', 'change_mfa'])

function usedUp(
  { clock, log }: Pick<Accounts, 'clock' | 'log'>,
  reason: 'address' | 'all',
): Failure {
  if (reason === 'all') log.error('The codes by SMS of this day are used up.', { reason })
  const nowS = clock.now().getTime() / 1_000
  return new Failure(
    'rate_limited',
    'Too many codes were requested by SMS today. Please use your email address, or try again tomorrow.',
    { retryAfterS: Math.max(1, Math.ceil(86_400 - (nowS % 86_400))) },
  )
}
