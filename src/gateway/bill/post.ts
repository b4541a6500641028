import { recordsWrite } from '../../activity/activity-store.ts'
import type { ActivityRecord } from '../../activity/record.ts'
import type { Command, Outcome } from '../../billing/commands.ts'
import type { FloatRules, OwnFloat } from '../../billing/float.ts'
import type { Heartbeat } from '../../billing/heartbeat-store.ts'
import {
  drawHold,
  expectChanges,
  floatRules,
  judgeFromMemory,
  ownFloats,
  rememberChanges,
  type Judged,
  type LedgerMemory,
} from '../../billing/ledger-batch.ts'
import type { LedgerChanges } from '../../billing/ledger-changes.ts'
import { judgeWithFloats } from '../../billing/ledger-store.ts'
import { ledgerWrite } from '../../billing/ledger-write-store.ts'
import {
  rowsWrite,
  writeIfTrue,
  writeSurely,
  type CheckedWrite,
  type RowFor,
} from '../../db/checked-write.ts'
import type { CommitMode, Db, OpenTx, Tx } from '../../db/db.ts'
import type { Claim } from '../../lib/answer.ts'
import {
  answersWrite,
  claimsCheck,
  lockClaims,
  type AnswerToKeep,
} from '../../replay/replay-store.ts'

/** One move of money and everything that must be true together with it. */
export type Posting = {
  /** Whose money and whose rows: postings of one account are never written at the same time. */
  accountId: string
  /** None for a model that costs nothing. */
  command?: Command | undefined
  /** Gives back what of the account's float is not drawn. */
  returnsFloat?: true
  /** Pure: the rows that go into the same commit, made from the ledger's outcome. */
  rows?: ((outcome: Outcome | undefined) => Rows) | undefined
  /** Done only while the claim is still ours; else `otherwise` is done in its place. */
  claimed?: { claim: Claim; otherwise: Posting } | undefined
}

export type Rows = {
  records?: ActivityRecord[] | undefined
  kept?: AnswerToKeep | undefined
  /** Rows of tables that this queue need not know. */
  also?: RowFor | undefined
  /** Writes whatever else belongs into the same commit. */
  write?: ((tx: Tx) => Promise<void>) | undefined
}

export type Posted = {
  outcome: Outcome | undefined
  rows: Rows
  /** The float that a hold was drawn from. */
  floatId?: string | undefined
}

export type BalanceNote = { accountId: string; availableMicro: bigint }

export type PostOptions = {
  db: Db
  timeZone: string
  /** Given new balances inside the transaction, for the low-balance notice. */
  noteBalances(tx: Tx, notes: BalanceNote[]): Promise<void>
  /** Whether that would write anything. */
  isNews(notes: BalanceNote[]): boolean
  /** Left out, every call has a hold of its own. */
  floats?: FloatSettings | undefined
}

export type FloatSettings = {
  /** The most that the floats of an account may hold beyond what is drawn, all processes together. */
  mostMicro: bigint
  /** A process that may be taken for dead, and its floats released, has none. */
  heartbeat: Pick<Heartbeat, 'steadySinceMs' | 'processes'>
}

/** What a batch has changed is remembered with its first posting. */
export type Remembering = Posted & { remember?: () => void }

/**
 * A hold need not wait for the disk: it keeps the account's other calls from spending the same
 * credits, which takes being seen, and should the database's server crash before it is on disk, it is
 * released, as the holds of the dead are. The same goes for its limit. A charge, which is never
 * undone, reaches the disk after it.
 */
export function modeOf({ command, rows, claimed }: Posting): CommitMode {
  const holds = command?.kind === 'hold' || command?.kind === 'extend'
  return holds && rows === undefined && claimed === undefined ? 'visible' : 'durable'
}

/** Only a hold by itself is drawn: what must be written with it needs the database anyway. */
export function drawPosting(
  memory: LedgerMemory,
  posting: Posting,
  steadySinceMs: number,
): Posted | undefined {
  const { command } = posting
  if (command?.kind !== 'hold' || modeOf(posting) !== 'visible') return undefined
  const outcome = drawHold(memory, command, steadySinceMs)
  if (outcome === undefined) return undefined
  return { outcome, rows: {}, floatId: memory.floats.get(posting.accountId)!.holdId }
}

/**
 * Most accounts are as this process left them. Then the outcome is known beforehand, and one
 * statement checks that, writes it all and commits. Undefined where it is not so simple.
 */
export async function postFromMemory(
  options: PostOptions,
  memory: LedgerMemory,
  postings: Posting[],
  mode: CommitMode,
): Promise<Posted[] | undefined> {
  const commands = commandsOf(postings)
  const judged = judgeFromMemory(memory, commands, returningOf(postings), rulesOf(options, memory))
  if (judged === undefined) return undefined
  const posted = postedOf(postings, judged.outcomes)
  if (posted.some(({ rows }) => rows.write) || options.isNews(balances(commands, judged))) {
    return undefined
  }
  expectChanges(memory, judged.changes)
  const claims = postings.flatMap(({ claimed }) => claimed?.claim ?? [])
  // What was recorded by an earlier try fails here, and is then seen under locks.
  const how = { checkedAlone: claims.length === 0, areNew: true }
  const write = writeOf(options, judged.changes, posted, how)
  const checks = [...claimsCheck(claims), ...write.checks]
  const written = await writeIfTrue(options.db, { ...write, checks }, mode)
  if (!written) return undefined
  rememberChanges(memory, judged.changes)
  return posted
}

function returningOf(postings: Posting[]): string[] {
  return postings.flatMap(({ accountId, returnsFloat }) => (returnsFloat ? [accountId] : []))
}

function rulesOf({ floats }: PostOptions, memory: LedgerMemory): FloatRules {
  if (floats === undefined || floats.heartbeat.steadySinceMs() === Infinity) {
    return floatRules(memory, 0n)
  }
  return floatRules(memory, floats.mostMicro / BigInt(floats.heartbeat.processes()))
}

/** The same under locks, whatever the accounts and the claims have become. */
export async function postUnderLocks(
  options: PostOptions,
  memory: LedgerMemory,
  tx: OpenTx,
  submitted: Posting[],
): Promise<Remembering[]> {
  const postings = await withoutLostClaims(tx, submitted)
  const commands = commandsOf(postings)
  const floats = floatsOf(memory, postings)
  const judged = await judgeWithFloats(tx, commands, floats, () => rulesOf(options, memory))
  expectChanges(memory, judged.changes)
  const posted = postedOf(postings, judged.outcomes)
  const how = { checkedAlone: true, areNew: false }
  const write = writeOf(options, judged.changes, posted, how)
  // These make one journey together with COMMIT.
  if (write.writes.length > 0) await writeSurely(tx.later, write)
  for (const { rows } of posted) if (rows.write !== undefined) await rows.write(tx.later)
  await options.noteBalances(tx, balances(commands, judged))
  const remember = () => rememberChanges(memory, judged.changes)
  return posted.map((one, i) => (i === 0 ? { ...one, remember } : one))
}

function floatsOf(memory: LedgerMemory, postings: Posting[]): OwnFloat[] {
  const ids = new Set(postings.map(({ accountId }) => accountId))
  return [...ids].flatMap((accountId) => ownFloats(memory, accountId))
}

function commandsOf(postings: Posting[]): Command[] {
  return postings.flatMap(({ command }) => (command === undefined ? [] : [command]))
}

/** Gives each posting its outcome and its rows. */
function postedOf(postings: Posting[], outcomes: Outcome[]): Posted[] {
  let next = 0
  return postings.map(({ command, rows }) => {
    const outcome = command === undefined ? undefined : outcomes[next++]
    return { outcome, rows: rows?.(outcome) ?? {} }
  })
}

function writeOf(
  { timeZone }: PostOptions,
  changes: LedgerChanges,
  posted: Posted[],
  { checkedAlone, areNew }: { checkedAlone: boolean; areNew: boolean },
): CheckedWrite {
  const { checks, writes } = ledgerWrite(changes, checkedAlone)
  const records = posted.flatMap(({ rows }) => rows.records ?? [])
  const kept = posted.flatMap(({ rows }) => rows.kept ?? [])
  return {
    checks,
    writes: [
      ...writes,
      ...recordsWrite(records, timeZone, areNew),
      ...answersWrite(kept),
      ...rowsWrite(posted.flatMap(({ rows }) => rows.also ?? [])),
    ],
  }
}

async function withoutLostClaims(tx: Tx, postings: Posting[]): Promise<Posting[]> {
  const claims = postings.flatMap(({ claimed }) => (claimed === undefined ? [] : [claimed.claim]))
  if (claims.length === 0) return postings
  const ours = await lockClaims(tx, claims)
  return postings.map((posting) => {
    const { claimed } = posting
    return claimed === undefined || ours.has(claimed.claim.id) ? posting : claimed.otherwise
  })
}

function balances(commands: Command[], { outcomes }: Judged): BalanceNote[] {
  return commands.flatMap(({ accountId }, i) => {
    const outcome = outcomes[i]!
    return outcome.kind === 'settled' ? [{ accountId, availableMicro: outcome.availableMicro }] : []
  })
}
