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
                      who an account is
accounts suspend <id> its sessions and keys stop at once, in every process
accounts reinstate <id>
                      they work again
${ADJUST_HELP}`

/** `npm run mlango -- accounts …`. */
export const accountsCommand = {
  name: 'accounts',
  help: HELP,
  async run(args: string[], parts: { db: Db; print: Print }): Promise<number> {
    const { db, print } = parts
    if (args[0] === 'adjust') return adjustAccount(args.slice(1), parts)
    const [verb = '', whom = ''] = args
    const act = VERBS[verb]
    if (act === undefined || whom === '') {
      print(HELP)
      return 2
    }
    const account = await act(db, whom)
    print(account ? view(account) : 'There is no such account.')
    return account ? 0 : 1
  },
}

const VERBS: Record<string, ((db: Db, whom: string) => Promise<Account | undefined>) | undefined> =
  {
    show,
    suspend: async (db, id) => (isUuid(id) ? suspendAccount(db, id) : undefined),
    reinstate: async (db, id) => (isUuid(id) ? reinstateAccount(db, id) : undefined),
  }

async function show(db: Db, whom: string): Promise<Account | undefined> {
  if (isUuid(whom)) return findAccount(db, whom)
  const who = readIdentifier(whom)
  return who && ((await findOwner(db, who)) ?? (await findClaimant(db, who)))
}

function view(account: Account): string {
  const lines = Object.entries(profileOf(account)).map(([name, value]) => `${name}: ${value}`)
  return lines.join('\n')
}
