import assert from 'node:assert/strict'
import type { Tx } from '../db/db.ts'
import type { Command, Entry, Outcome } from './commands.ts'
import { EMPTY, step, type Account, type Hold, type OpenHold, type Posting } from './ledger.ts'
import { createAccounts, existingKeys, lockAccounts, openHolds } from './ledger-rows-store.ts'
import { bookUncollected, rewriteHolds, writeChanges, type Loss } from './ledger-write-store.ts'

/**
 * Applies one command or five hundred alike, in the given order, within the caller's transaction.
 * The accounts' rows are locked in sorted order first, so batches of several processes queue up
 * instead of deadlocking, and everything read after the lock is the latest.
 */
export async function applyCommands(tx: Tx, commands: Command[]): Promise<Outcome[]> {
  const { outcomes, write } = await judgeCommands(tx, commands)
  await write(tx)
  return outcomes
}

/**
 * The same in two halves: what the commands come to, under the accounts' locks, and then the
 * writing, which may travel together with whatever else the outcomes bring about and with COMMIT.
 */
export async function judgeCommands(tx: Tx, commands: Command[]): Promise<Judged> {
  if (commands.length === 0) return { outcomes: [], write: async () => {} }
  const books = await readBooks(tx, commands)
  const outcomes = commands.map((command) => applyOne(books, command))
  return { outcomes, write: (into) => writeBooks(into, books) }
}

export type Judged = { outcomes: Outcome[]; write(tx: Tx): Promise<void> }

type Books = {
  accounts: Map<string, Account>
  touched: Set<string>
  holds: Map<string, Hold | OpenHold>
  holdsBefore: Map<string, OpenHold>
  keys: Set<string>
  postings: (Posting & { accountId: string })[]
  uncollected: Loss[]
}

/** Sent together: the statements after the lock wait their turn on the server, and read the latest. */
async function readBooks(tx: Tx, commands: Command[]): Promise<Books> {
  const ids = [...new Set(commands.map((command) => command.accountId))].sort()
  const holdIds = commands.flatMap((command) => ('holdId' in command ? [command.holdId] : []))
  const keys = commands.flatMap(entriesOf).map((entry) => entry.key)
  const [accounts, holdsBefore, known] = await Promise.all([
    lockAccounts(tx, ids),
    holdIds.length > 0 ? openHolds(tx, holdIds) : new Map<string, OpenHold>(),
    keys.length > 0 ? existingKeys(tx, keys) : new Set<string>(),
  ])
  const missing = missingAccounts(commands, accounts)
  if (missing.length > 0) {
    // A lock needs something to hold on to: the row is made first, and then all is read again.
    await createAccounts(tx, missing)
    return readBooks(tx, commands)
  }
  return {
    accounts,
    touched: new Set(),
    holds: new Map(holdsBefore),
    holdsBefore,
    keys: known,
    postings: [],
    uncollected: [],
  }
}

function missingAccounts(commands: Command[], accounts: Map<string, Account>): string[] {
  const wanted = commands.filter((one) => mayCreate(one) && !accounts.has(one.accountId))
  return [...new Set(wanted.map((command) => command.accountId))].sort()
}

function mayCreate(command: Command): boolean {
  return command.kind === 'grant' || command.kind === 'adjust' || command.kind === 'hold'
}

function entriesOf(command: Command): Entry[] {
  if (command.kind === 'settle') return command.charges.map((charge) => charge.entry)
  return 'entry' in command ? [command.entry] : []
}

function applyOne(books: Books, command: Command): Outcome {
  const { accountId } = command
  const hold = 'holdId' in command ? ownHold(books, command) : undefined
  const known = { hold, hasKey: (key: string) => books.keys.has(key) }
  const result = step(books.accounts.get(accountId) ?? EMPTY, command, known)
  if (result.hold) books.holds.set(result.hold.holdId, result.hold)
  else if (hold) books.holds.delete(hold.holdId)
  if (result.account !== books.accounts.get(accountId) && books.accounts.has(accountId)) {
    books.accounts.set(accountId, result.account)
    books.touched.add(accountId)
  }
  for (const posting of result.postings) {
    books.keys.add(posting.entry.key)
    books.postings.push({ ...posting, accountId })
  }
  books.uncollected.push(...result.uncollected.map((one) => ({ ...one, accountId })))
  return result.outcome
}

/** A hold is found only together with its account: another account's id is as good as none. */
function ownHold(books: Books, command: Command & { holdId: string }): OpenHold | undefined {
  const hold = books.holds.get(command.holdId)
  if (hold?.accountId === command.accountId) return hold
  assert(hold === undefined || command.kind !== 'hold', 'two accounts share the id of a hold')
  return undefined
}

async function writeBooks(tx: Tx, books: Books): Promise<void> {
  const { accounts, touched, holds, holdsBefore, postings } = books
  const closed = [...holdsBefore.keys()].filter((id) => !holds.has(id))
  const opened = [...holds.values()].filter((hold) => !holdsBefore.has(hold.holdId))
  const rewritten = [...holds.values()].filter(
    (hold) => holdsBefore.has(hold.holdId) && holdsBefore.get(hold.holdId) !== hold,
  )
  const changed = [...touched].map((accountId) => ({ accountId, ...accounts.get(accountId)! }))
  const nothing = changed.length === 0 && closed.length === 0 && opened.length === 0
  if (!nothing) await writeChanges(tx, { accounts: changed, postings, closed, opened })
  if (rewritten.length > 0) await rewriteHolds(tx, rewritten)
  if (books.uncollected.length > 0) await bookUncollected(tx, books.uncollected)
}
