import { profileOf } from '../accounts/account.ts'
import type { Account } from '../accounts/account.ts'
import { findAccount, findClaimant, findOwner } from '../accounts/accounts-store.ts'
import { readIdentifier } from '../accounts/identifiers.ts'
import { reinstateAccount, suspendAccount } from '../accounts/suspension.ts'
import type { Db } from '../db/db.ts'
import { isUuid } from '../lib/ids.ts'
import { ADJUST_HELP, adjustAccount } from './adjust.ts'
import type { Print } from './print.ts'

const HELP = `accounts show <id|email|phone>
                      show the profile of an account
accounts suspend <id> stop its sessions and API keys at once, in every process
accounts reinstate <id>
                      lift a suspension
${ADJUST_HELP}`

/** `npm run mlango -- accounts …`. */
export const accountsCommand = {
  name: 'accounts',
  help: HELP,
  async run(args: string[], parts: { db: Db; print: Print }): Promise<number> {
    const { db, print } = parts
    if (args[0] === 'adjust') return adjustAccount(args.slice(1), parts)
    const [verb = '', identifier = ''] = args
    const act = VERBS[verb]
    if (act === undefined || identifier === '') {
      print(HELP)
      return 2
    }
    const account = await act(db, identifier)
    print(account ? view(account) : 'There is no such account.')
    return account ? 0 : 1
  },
}

const VERBS: Record<
  string,
  ((db: Db, identifier: string) => Promise<Account | undefined>) | undefined
> = {
  show,
  suspend: async (db, id) => (isUuid(id) ? suspendAccount(db, id) : undefined),
  reinstate: async (db, id) => (isUuid(id) ? reinstateAccount(db, id) : undefined),
}

async function show(db: Db, identifier: string): Promise<Account | undefined> {
  if (isUuid(identifier)) return findAccount(db, identifier)
  const who = readIdentifier(identifier)
  return who && ((await findOwner(db, who)) ?? (await findClaimant(db, who)))
}

function view(account: Account): string {
  const lines = Object.entries(profileOf(account)).map(([name, value]) => `${name}: ${value}`)
  return lines.join('\n')
}
