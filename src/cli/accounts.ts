import { profileOf, type Account } from '../accounts/account.ts'
import { findAccount, findClaimant, findOwner } from '../accounts/accounts-store.ts'
import { readIdentifier } from '../accounts/identifiers.ts'
import { listDeleted } from '../accounts/profile/deletion-store.ts'
import { accountActs, undelete } from '../operators/account-actions.ts'
import { noteRead } from '../operators/audit-log.ts'
import { adjust, readAmount } from '../operators/adjust.ts'
import { doOrAsk, type Act } from '../operators/requests.ts'
import { creditsText } from '../ledger/money.ts'
import type { Db } from '../db/db.ts'
import { isUuid, uuidv7 } from '../lib/ids.ts'
import { command, done, failed, TEXT, verb, type CommandResult } from './command.ts'

const HELP = `accounts show <id|email|phone>
                      show the profile of an account
accounts suspend <id> [--reason <text>] [--operator <name>]
                      stop its sessions and API keys at once, in every process
accounts reinstate <id> [--reason <text>] [--operator <name>]
                      lift a suspension
accounts restore <id|email|phone> [--reason <text>] [--operator <name>]
                      undo a deletion of the last 30 days; payments that came since
                      are credited. Its API keys stay revoked
accounts sign-out <id> [--reason <text>] [--operator <name>]
                      end all its sessions; its API keys go on working
accounts revoke-key <id> <key id> [--reason <text>] [--operator <name>]
                      revoke one of its API keys
accounts adjust <id> <±credits> --reason <text> --operator <name> [--key <text>]
                      credit or debit an account; the customer sees the reason,
                      and a key that was used before changes nothing`

type Parts = { db: Db }

export const accountsCommand = command<Parts>('accounts', HELP, {
  show: verb(['who'], {}, async ({ db }: Parts, { who, actor }) => {
    const account = await find(db, who)
    if (!account) return NO_ACCOUNT
    const target = { type: 'account', id: account.id }
    await noteRead(db, actor, { action: 'read.account', target })
    return profile(account)
  }),
  suspend: onAccount((acts) => acts.suspend, profile),
  reinstate: onAccount((acts) => acts.reinstate, profile),
  restore: verb(['who'], {}, async ({ db }: Parts, { who, actor, reason }) => {
    const [accountId, ...more] = await deletedIds(db, who)
    if (accountId === undefined) return NO_ACCOUNT
    if (more.length > 0) {
      return failed(`Several deleted accounts had it. Name one: ${[accountId, ...more].join(', ')}`)
    }
    const account = await undelete(db, actor, { accountId, reason })
    return account ? profile(account) : NO_ACCOUNT
  }),
  'sign-out': onAccount(
    (acts) => acts.endSessions,
    ({ ended }) => done(`Sessions ended: ${ended}.`),
  ),
  'revoke-key': verb(['accountId', 'keyId'], {}, async ({ db }: Parts, given) => {
    if (!isUuid(given.accountId) || !isUuid(given.keyId)) return NO_ACCOUNT
    const { accountId: targetId, keyId, actor, reason } = given
    const asked = { targetId, wish: { key_id: keyId }, reason, key: uuidv7() }
    const revoked = await doOrAsk(db, actor, acts.revokeKey, asked)
    return revoked ? done('The API key has been revoked.') : NO_ACCOUNT
  }),
  adjust: verb(['accountId', 'amount'], { key: TEXT }, async ({ db }: Parts, given) => {
    const { accountId, actor, reason = '', operator = '', key = uuidv7() } = given
    const amountMicro = readAmount(given.amount)
    const named = [reason, operator, key].every((word) => word.trim() !== '' && word.length <= 200)
    if (!isUuid(accountId) || !named || amountMicro === undefined) return 'usage'
    const wish = { accountId, amountMicro, reason: reason.trim(), key }
    const outcome = await adjust(db, actor, wish)
    switch (outcome?.kind) {
      case 'posted':
        return done(`Account ${accountId} now has ${creditsText(outcome.balanceMicro)} credits.`)
      case 'duplicate':
        return done('An adjustment with this key was made before. Nothing has changed.')
      case 'refused':
        return failed(`Only ${creditsText(outcome.availableMicro)} credits are available.`)
      default:
        return NO_ACCOUNT
    }
  }),
})

const NO_ACCOUNT = failed('There is no such account.')

function onAccount<Done>(
  choose: (acts: Acts) => Act<object, Done>,
  said: (changed: Done) => CommandResult,
) {
  return verb(['accountId'], {}, async ({ db }: Parts, { accountId, actor, reason }) => {
    if (!isUuid(accountId)) return NO_ACCOUNT
    const asked = { targetId: accountId, wish: {}, reason, key: uuidv7() }
    const outcome = await doOrAsk(db, actor, choose(acts), asked)
    return outcome?.done === undefined ? NO_ACCOUNT : said(outcome.done)
  })
}

type Acts = ReturnType<typeof accountActs>

/** A command has nothing cached: the processes of the service are notified. */
const acts = accountActs(() => {})

async function find(db: Db, identifier: string): Promise<Account | undefined> {
  if (isUuid(identifier)) return findAccount(db, identifier)
  const who = readIdentifier(identifier)
  return who && ((await findOwner(db, who)) ?? (await findClaimant(db, who)))
}

async function deletedIds(db: Db, identifier: string): Promise<string[]> {
  if (isUuid(identifier)) return [identifier]
  const who = readIdentifier(identifier)
  return who ? listDeleted(db, who.value) : []
}

function profile(account: Account): CommandResult {
  return done(...Object.entries(profileOf(account)).map(([name, value]) => `${name}: ${value}`))
}
