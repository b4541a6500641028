import { setTimeout as wait } from 'node:timers/promises'
import { costsOf, recordsWrite } from '../../activity/activity-store.ts'
import type { ActivityRecord } from '../../activity/record.ts'
import type { Command, Outcome } from '../../billing/commands.ts'
import {
  closeShrunk,
  drawHold,
  floatRules,
  judgeFromMemory,
  openLedgerMemory,
  rememberChanges,
  type Judged,
  type LedgerMemory,
} from '../../billing/ledger-batch.ts'
import { recallFloats } from '../../billing/float-store.ts'
import type { Heartbeat } from '../../billing/heartbeat-store.ts'
import type { FloatRules } from '../../billing/float.ts'
import { judgeWithFloats } from '../../billing/ledger-store.ts'
import type { Float, LedgerChanges } from '../../billing/ledger-changes.ts'
import { ledgerWrite } from '../../billing/ledger-write-store.ts'
import {
  rowsWrite,
  writeIfTrue,
  writeSurely,
  type CheckedWrite,
  type RowFor,
} from '../../db/checked-write.ts'
import type { CommitMode, Db, OpenTx, Tx } from '../../db/db.ts'
import { groupCommit, type GroupCommit } from '../../db/group-commit.ts'
import type { Claim, EarlyBody, KeptAnswer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { Meter } from '../../lib/telemetry/meter.ts'
import {
  answersWrite,
  claimsCheck,
  keepEarly,
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

export type PostingQueue = GroupCommit<Posting, Posted> & {
  /** As `submit`, but outlasts a database that goes away for a moment. */
  submitSurely<Result>(posting: Posting, reading: PostingReading<Result>): Promise<Result>
  /** Writes a large answer before the commit that keeps it, which is short for it. */
  keepEarly(claim: Claim, draft: KeptAnswer): Promise<EarlyBody | undefined>
  /** What these records cost, if all of them were written. */
  recordedCosts(recordIds: string[]): Promise<bigint[] | undefined>
  /** What this process holds of an account beyond what its calls have drawn. */
  undrawnMicro(accountId: string): bigint
  /** Has other processes give back what they hold of it; says whether there was any. */
  recallFloats(accountId: string): Promise<boolean>
  /** Gives back the account's float, as far as it is not drawn. */
  returnFloat(accountId: string): Promise<void>
  /** The same for floats that were not used for so long; with 0 for all. */
  returnFloats(unusedMs: number): Promise<void>
}

type PostingReading<Result> = {
  fromPosted(posted: Posted): Result
  /** Asked after a second try: what an earlier one did, if it was committed after all. */
  fromDatabase(): Promise<Result | undefined>
}

export type BalanceNote = { accountId: string; availableMicro: bigint }

export type PostingQueueOptions = {
  db: Db
  timeZone: string
  /** Given new balances inside the transaction, for the low-balance notice. */
  noteBalances(tx: Tx, notes: BalanceNote[]): Promise<void>
  /** Whether that would write anything. */
  isNews(notes: BalanceNote[]): boolean
  /** Left out, every call has a hold of its own. */
  floats?: FloatSettings | undefined
  meter?: Pick<Meter, 'recorded' | 'committed'> | undefined
}

export type FloatSettings = {
  /** The most that the floats of an account may hold beyond what is drawn, all processes together. */
  mostMicro: bigint
  /** A process that may be taken for dead, and its floats released, has none. */
  heartbeat: Pick<Heartbeat, 'steadySinceMs' | 'processes'>
}

/** What a batch has changed is remembered with its first posting. */
type Remembering = Posted & { remember?: () => void }

/** While the database has just failed, a call had better not begin without asking it. */
const SHY_MS = 5_000

/** Many calls, one transaction: ledger, activity, roll-ups and kept answers move as one. */
export function openPostingQueue(options: PostingQueueOptions): PostingQueue {
  const { db, meter, floats } = options
  const memory = openLedgerMemory()
  let failedMs = -Infinity
  const plain = groupCommit<Posting, Remembering>({
    db,
    attempt: (postings, mode) => postFromMemory(options, memory, postings, mode),
    apply: (tx, postings) => post(options, memory, tx, postings),
    committed: (posted) => posted.forEach(({ remember }) => remember?.()),
    without(posting) {
      if (floats === undefined || performance.now() - failedMs < SHY_MS) return undefined
      return draw(memory, posting, floats.heartbeat.steadySinceMs())
    },
    mode: modeOf,
    rowsOf: ({ accountId }) => accountId,
    observe(batch) {
      if (!batch.ok) failedMs = performance.now()
      meter?.committed(batch)
    },
  })
  const commits = meter === undefined ? plain : measured(plain, meter)

  async function returnFloat(accountId: string): Promise<void> {
    const float = memory.floats.get(accountId)
    if (float === undefined) return
    float.open = false
    await plain.submit({ accountId, returnsFloat: true })
  }

  return {
    ...commits,
    submitSurely: (posting, reading) => submitSurely(commits, posting, reading),
    keepEarly: (claim, draft) => patiently(() => keepEarly(db, claim, draft)),
    async recordedCosts(recordIds) {
      const costs = await costsOf(db, recordIds)
      const known = recordIds.flatMap((id) => costs.get(id) ?? [])
      return known.length === recordIds.length ? known : undefined
    },
    undrawnMicro(accountId) {
      const float = memory.floats.get(accountId)
      return float === undefined ? 0n : float.amountMicro - float.drawnMicro
    },
    recallFloats: (accountId) => recallFloats(db, accountId),
    returnFloat,
    async returnFloats(unusedMs) {
      const sinceMs = performance.now() - unusedMs
      const unused = [...memory.floats.values()].filter(
        ({ drawn, usedMs }) => drawn.size === 0 && usedMs <= sinceMs,
      )
      await Promise.all(unused.map(({ accountId }) => returnFloat(accountId)))
    },
  }
}

/** Only a hold by itself is drawn: what must be written with it needs the database anyway. */
function draw(memory: LedgerMemory, posting: Posting, steadySinceMs: number): Posted | undefined {
  const { command } = posting
  if (command?.kind !== 'hold' || modeOf(posting) !== 'visible') return undefined
  const outcome = drawHold(memory, command, steadySinceMs)
  if (outcome === undefined) return undefined
  return { outcome, rows: {}, floatId: memory.floats.get(posting.accountId)!.holdId }
}

function measured(
  commits: GroupCommit<Posting, Posted>,
  meter: Pick<Meter, 'recorded'>,
): GroupCommit<Posting, Posted> {
  return {
    ...commits,
    async submit(posting) {
      const posted = await commits.submit(posting)
      for (const record of posted.rows.records ?? []) meter.recorded(record)
      return posted
    },
  }
}

/**
 * A hold need not wait for the disk: it keeps the account's other calls from spending the same
 * credits, which takes being seen, and should the database's server crash before it is on disk, it is
 * released, as the holds of the dead are. The same goes for its limit. A charge, which is never
 * undone, reaches the disk after it.
 */
function modeOf({ command, rows, claimed }: Posting): CommitMode {
  const holds = command?.kind === 'hold' || command?.kind === 'extend'
  return holds && rows === undefined && claimed === undefined ? 'visible' : 'durable'
}

/**
 * Most accounts are as this process left them. Then the outcome is known beforehand, and one
 * statement checks that, writes it all and commits. Undefined where it is not so simple.
 */
async function postFromMemory(
  options: PostingQueueOptions,
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
  closeShrunk(judged.changes)
  const claims = postings.flatMap(({ claimed }) => claimed?.claim ?? [])
  const write = writeOf(options, judged.changes, posted)
  const checks = [...claimsCheck(claims), ...write.checks]
  const written = await writeIfTrue(options.db, { ...write, checks }, mode)
  if (!written) return undefined
  rememberChanges(memory, judged.changes)
  return posted
}

function returningOf(postings: Posting[]): string[] {
  return postings.flatMap(({ accountId, returnsFloat }) => (returnsFloat ? [accountId] : []))
}

function rulesOf({ floats }: PostingQueueOptions, memory: LedgerMemory): FloatRules {
  if (floats === undefined || floats.heartbeat.steadySinceMs() === Infinity) {
    return floatRules(memory, 0n)
  }
  return floatRules(memory, floats.mostMicro / BigInt(floats.heartbeat.processes()))
}

/** The same under locks, whatever the accounts and the claims have become. */
async function post(
  options: PostingQueueOptions,
  memory: LedgerMemory,
  tx: OpenTx,
  submitted: Posting[],
): Promise<Remembering[]> {
  const postings = await withoutLostClaims(tx, submitted)
  const commands = commandsOf(postings)
  const floats = floatsOf(memory, postings)
  const judged = await judgeWithFloats(tx, commands, floats, () => rulesOf(options, memory))
  closeShrunk(judged.changes)
  const posted = postedOf(postings, judged.outcomes)
  const write = writeOf(options, judged.changes, posted)
  // These make one journey together with COMMIT.
  if (write.writes.length > 0) await writeSurely(tx.later, write)
  for (const { rows } of posted) if (rows.write !== undefined) await rows.write(tx.later)
  await options.noteBalances(tx, balances(commands, judged))
  const remember = () => rememberChanges(memory, judged.changes)
  return posted.map((one, i) => (i === 0 ? { ...one, remember } : one))
}

function floatsOf({ floats }: LedgerMemory, postings: Posting[]): Float[] {
  const ids = new Set(postings.map(({ accountId }) => accountId))
  return [...ids].flatMap((accountId) => floats.get(accountId) ?? [])
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
  { timeZone }: PostingQueueOptions,
  changes: LedgerChanges,
  posted: Posted[],
): CheckedWrite {
  const { checks, writes } = ledgerWrite(changes)
  const records = posted.flatMap(({ rows }) => rows.records ?? [])
  const kept = posted.flatMap(({ rows }) => rows.kept ?? [])
  return {
    checks,
    writes: [
      ...writes,
      ...recordsWrite(records, timeZone),
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

/** From the first failure on: a caller who waits long for an answer must have time to ask again. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

/**
 * When the database goes away in the middle, nobody knows whether the commit happened. So the same
 * posting is submitted again: if it had been done, this changes nothing, and its rows say so.
 */
async function submitSurely<Result>(
  commits: GroupCommit<Posting, Posted>,
  posting: Posting,
  reading: PostingReading<Result>,
): Promise<Result> {
  return patiently(async (tries) => {
    const posted = await commits.submit(posting)
    const earlier = tries > 1 ? await reading.fromDatabase() : undefined
    return earlier ?? reading.fromPosted(posted)
  })
}

async function patiently<Result>(act: (tries: number) => Promise<Result>): Promise<Result> {
  let giveUpMs = Infinity
  for (let tries = 1; ; tries++) {
    try {
      return await act(tries)
    } catch (error) {
      giveUpMs = Math.min(giveUpMs, performance.now() + PATIENCE_MS)
      if (!isUnavailable(error) || performance.now() > giveUpMs) throw error
      await wait(RETRY_MS)
    }
  }
}

/** The database cannot be reached: whether a commit happened is not known. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'unavailable'
}
