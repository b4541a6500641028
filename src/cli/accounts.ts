import { parseArgs } from 'node:util'
import { profileOf } from '../accounts/account.ts'
import type { Account } from '../accounts/account.ts'
import { findAccount, findClaimant, findOwner } from '../accounts/accounts-store.ts'
import { readIdentifier } from '../accounts/identifiers.ts'
import { endSessions, liftSuspension, revokeKeyOf, suspend } from '../operators/account-actions.ts'
import { commandActor } from '../operators/actor.ts'
import type { Db } from '../db/db.ts'
import { isUuid } from '../lib/ids.ts'
import { ADJUST_HELP, adjustAccount } from './adjust.ts'
import type { Print } from './print.ts'

const HELP = `accounts show <id|email|phone>
                      show the profile of an account
accounts suspend <id> [--reason <text>] [--operator <name>]
                      stop its sessions and API keys at once, in every process
accounts reinstate <id> [--reason <text>] [--operator <name>]
                      lift a suspension
accounts sign-out <id> [--reason <text>] [--operator <name>]
                      end all its sessions; its API keys go on working
accounts revoke-key <id> <key id> [--reason <text>] [--operator <name>]
                      revoke one of its API keys
${ADJUST_HELP}`

/** `npm run mlango -- accounts …`. */
export const accountsCommand = {
  name: 'accounts',
  help: HELP,
  async run(args: string[], parts: { db: Db; print: Print }): Promise<number> {
    const { db, print } = parts
    const [verb = '', ...rest] = args
    if (verb === 'adjust') return adjustAccount(rest, parts)
    const text = { type: 'string' } as const
    const options = { reason: text, operator: text }
    const { positionals, values } = parseArgs({ args: rest, options, allowPositionals: true })
    const [identifier = '', keyId = ''] = positionals
    const run = VERBS[verb]
    if (run === undefined || identifier === '') {
      print(HELP)
      return 2
    }
    const done = await run(db, { ...values, identifier, keyId })
    print(done ?? 'There is no such account.')
    return done === undefined ? 1 : 0
  },
}

type Wish = {
  identifier: string
  keyId: string
  reason?: string | undefined
  operator?: string | undefined
}

/** What to print when it is done; undefined when there is no such account. */
const VERBS: Record<string, ((db: Db, wish: Wish) => Promise<string | undefined>) | undefined> = {
  show: async (db, { identifier }) => view(await show(db, identifier)),
  suspend: async (db, wish) => view(await onAccount(db, wish, suspend)),
  reinstate: async (db, wish) => view(await onAccount(db, wish, liftSuspension)),
  'sign-out': async (db, wish) => {
    const done = await onAccount(db, wish, endSessions)
    return done && `Sessions ended: ${done.ended}.`
  },
  'revoke-key': async (db, wish) => {
    if (!isUuid(wish.identifier) || !isUuid(wish.keyId)) return undefined
    const wanted = { accountId: wish.identifier, keyId: wish.keyId, reason: wish.reason }
    const done = await revokeKeyOf(adminContextOf(db), commandActor(wish.operator), wanted)
    return done ? 'The API key has been revoked.' : undefined
  },
}

async function onAccount<T>(
  db: Db,
  { identifier, reason, operator }: Wish,
  run: (
    admin: ReturnType<typeof adminContextOf>,
    actor: ReturnType<typeof commandActor>,
    wanted: { accountId: string; reason: string | undefined },
  ) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (!isUuid(identifier)) return undefined
  return run(adminContextOf(db), commandActor(operator), { accountId: identifier, reason })
}

/** A command has nothing cached: the processes of the service are notified. */
function adminContextOf(db: Db) {
  return { db, forget: () => {} }
}

async function show(db: Db, identifier: string): Promise<Account | undefined> {
  if (isUuid(identifier)) return findAccount(db, identifier)
  const who = readIdentifier(identifier)
  return who && ((await findOwner(db, who)) ?? (await findClaimant(db, who)))
}

function view(account: Account | undefined): string | undefined {
  if (!account) return undefined
  const lines = Object.entries(profileOf(account)).map(([name, value]) => `${name}: ${value}`)
  return lines.join('\n')
}
