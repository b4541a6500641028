import type { CommandOf, Outcome } from './commands.ts'
import {
  available,
  EASILY,
  spare,
  step,
  type KnownAccount,
  type LedgerAccount,
  type OpenHold,
} from './ledger.ts'
import type { Float, FloatChange, LedgerChanges } from './ledger-changes.ts'
import { greater } from './money.ts'

/** Amount and limit of a float's row. */
type FloatRow = Pick<Float, 'amountMicro' | 'limitMicro'>

/** A float with its row as it was read: undefined where somebody has released it. */
export type Floated = { float: Float; row: FloatRow | undefined }

export type FloatRules = {
  /** The most that a float may hold beyond what its calls have drawn. */
  capMicro: bigint
  nowMs: number
  newId(): string
  /** Whether the account, which has none, may have one. */
  mayOpen(account: KnownAccount): boolean
}

/**
 * The account as it would be if every call had a row of its own and the rest of the float were not
 * held. The ledger judges by this, so that a float changes neither what is granted nor what is
 * refused.
 */
export function withoutFloat<Account extends LedgerAccount>(
  account: Account,
  float: Float,
  row: FloatRow = float,
): Account {
  return {
    ...account,
    heldMicro: account.heldMicro - row.amountMicro + float.drawnMicro,
    limitsMicro: account.limitsMicro - row.limitMicro + float.drawnLimitsMicro,
  }
}

const NOTHING_KNOWN = { hold: undefined, hasKey: () => false }

/**
 * Draws what a call wants, if the float covers all that the call may cost. Undefined where it does
 * not, or where an exact hold would be given less than it wants: that is never decided from memory.
 */
export function drawFrom(
  float: Float,
  account: LedgerAccount,
  command: CommandOf<'hold'>,
  nowMs: number,
): Outcome | undefined {
  if (!float.open || !('process' in command.owner) || float.drawn.has(command.holdId)) {
    return undefined
  }
  const { outcome, hold } = step(withoutFloat(account, float), command, NOTHING_KNOWN)
  if (outcome.kind !== 'held' || hold === undefined) return undefined
  const { holdId, accountId, owner, amountMicro, limitMicro } = hold
  const mostMicro = command.bounds?.mostMicro ?? greater(command.wantMicro, command.needMicro)
  if (amountMicro < command.wantMicro || limitMicro < mostMicro) return undefined
  if (float.drawnMicro + amountMicro > float.amountMicro) return undefined
  if (float.drawnLimitsMicro + limitMicro > float.limitMicro) return undefined
  float.drawn.set(holdId, { holdId, accountId, owner, amountMicro, limitMicro })
  float.drawnMicro += amountMicro
  float.drawnLimitsMicro += limitMicro
  float.usedMs = nowMs
  return outcome
}

/**
 * What a batch changes, from accounts without their floats to accounts as the database has them. Holds
 * that were drawn have no rows to delete; a hold of this process that ended may become a part of its
 * account's float. Accounts in `floats` that the batch did not touch are those whose float is given
 * back.
 */
export function throughFloats(
  changes: LedgerChanges,
  known: ReadonlyMap<string, KnownAccount>,
  floats: ReadonlyMap<string, Floated>,
  rules: FloatRules,
): LedgerChanges {
  const written: LedgerChanges = {
    ...changes,
    accounts: [],
    closed: [],
    opened: [...changes.opened],
    rewritten: changes.rewritten.filter((hold) => drawnAs(floats, hold) === undefined),
    floats: [],
  }
  const changed = changes.rewritten.filter((hold) => drawnAs(floats, hold) !== undefined)
  const ended = Map.groupBy(changes.closed, ({ accountId }) => accountId)
  const after = new Map(changes.accounts.map((one) => [one.accountId, one.after]))
  for (const [accountId, floated] of floats) {
    if (!after.has(accountId)) after.set(accountId, untouched(known.get(accountId)!, floated))
  }
  for (const [accountId, account] of after) {
    const one = {
      accountId,
      before: known.get(accountId)!,
      account,
      holds: ended.get(accountId) ?? NONE,
      changed: changed.filter((hold) => hold.accountId === accountId),
      floated: floats.get(accountId),
    }
    writeAccount(written, one, rules)
  }
  return written
}

/** A hold as it was drawn. */
function drawnAs(floats: ReadonlyMap<string, Floated>, hold: OpenHold): OpenHold | undefined {
  return floats.get(hold.accountId)?.float.drawn.get(hold.holdId)
}

const NONE: OpenHold[] = []

function untouched(known: KnownAccount, { float, row }: Floated): KnownAccount {
  const account = row === undefined ? known : withoutFloat(known, float, row)
  return { ...account, version: known.version + 1n }
}

type AccountChange = {
  accountId: string
  before: KnownAccount
  /** Afterwards, without its float. */
  account: KnownAccount
  /** Its holds that ended, and of those that were drawn the ones that are not as they were. */
  holds: OpenHold[]
  changed: OpenHold[]
  floated: Floated | undefined
}

function writeAccount(written: LedgerChanges, change: AccountChange, rules: FloatRules): void {
  const { accountId, before, account, holds, floated } = change
  const drawn = floated?.float.drawn
  for (const hold of holds) if (!drawn?.has(hold.holdId)) written.closed.push(hold)
  const { float, rest } = floatAfter(change, rules)
  if (float !== undefined) writeFloat(written, float, floated?.row, rules.newId)
  written.accounts.push({
    accountId,
    before,
    after: {
      ...account,
      heldMicro: account.heldMicro + rest.amountMicro,
      limitsMicro: account.limitsMicro + rest.limitMicro,
    },
  })
}

function writeFloat(
  written: LedgerChanges,
  change: FloatChange,
  row: FloatRow | undefined,
  newMark: () => string,
): void {
  const { float, next } = change
  written.floats.push(change)
  if (float === undefined) written.opened.push(rowOf(next!))
  else if (row === undefined) return
  else if (next === undefined) written.closed.push(rowOf({ ...float, ...row }))
  else if (next.amountMicro !== row.amountMicro || next.limitMicro !== row.limitMicro) {
    change.mark = newMark()
    written.rewritten.push({ ...rowOf(next), about: { mark: change.mark } })
  }
}

/** It is about no call, so its holder's death is recorded for none. */
function rowOf({ holdId, accountId, owner, amountMicro, limitMicro }: Float) {
  return { holdId, accountId, owner, amountMicro, limitMicro, about: {}, isFloat: true }
}

const NO_REST: FloatRow = { amountMicro: 0n, limitMicro: 0n }
const NO_FLOAT = { float: undefined, rest: NO_REST }

/**
 * The float afterwards, and what of it is not drawn. It is closed when the account could not easily
 * pay that much more, and grows by holds that ended as long as the account could pay twice as much:
 * so small balances have exact holds, and a float at the boundary does not come and go.
 */
function floatAfter(
  { accountId, account, holds, changed, floated }: AccountChange,
  rules: FloatRules,
): { float: FloatChange | undefined; rest: FloatRow } {
  const { float, row = NO_REST } = floated ?? {}
  if (float !== undefined && floated?.row === undefined) {
    return {
      ...NO_FLOAT,
      float: { accountId, float, next: undefined, ended: [...float.drawn.values()], changed: NONE },
    }
  }
  const ended = holds.filter(({ holdId }) => float?.drawn.has(holdId))
  const own = holds.filter((hold) => 'process' in hold.owner && !float?.drawn.has(hold.holdId))
  if (float === undefined && (own.length === 0 || !rules.mayOpen(account))) return NO_FLOAT
  const before = { amountMicro: float?.drawnMicro ?? 0n, limitMicro: float?.drawnLimitsMicro ?? 0n }
  const earlier = changed.map(({ holdId }) => float!.drawn.get(holdId)!)
  const drawn = more(less(before, [...ended, ...earlier]), changed)
  const kept = {
    amountMicro: greater(0n, row.amountMicro - drawn.amountMicro),
    limitMicro: greater(0n, row.limitMicro - drawn.limitMicro),
  }
  const grown = more(kept, own)
  const roomMicro = spare(account) / EASILY
  const open = (float?.open ?? true) && fits(kept, roomMicro)
  const rest = !open ? NO_REST : fits(grown, roomMicro / 2n) ? grown : kept
  const next = more(drawn, [rest])
  if (next.limitMicro === 0n) {
    return { float: float && { accountId, float, next: undefined, ended, changed }, rest }
  }
  const made = float ?? newFloat(accountId, own[0]!.owner, rules)
  return { float: { accountId, float, next: { ...made, ...next, open }, ended, changed }, rest }

  function fits({ amountMicro, limitMicro }: FloatRow, mostMicro: bigint): boolean {
    const affordable = amountMicro <= available(account) && limitMicro <= mostMicro
    return affordable && amountMicro <= rules.capMicro
  }
}

function newFloat(
  accountId: string,
  owner: OpenHold['owner'],
  { newId, nowMs }: FloatRules,
): Float {
  const sums = { amountMicro: 0n, limitMicro: 0n, drawnMicro: 0n, drawnLimitsMicro: 0n }
  return {
    holdId: newId(),
    accountId,
    owner,
    ...sums,
    drawn: new Map(),
    open: true,
    openedMs: nowMs,
    usedMs: nowMs,
  }
}

function more(row: FloatRow, others: readonly FloatRow[]): FloatRow {
  let { amountMicro, limitMicro } = row
  for (const other of others) {
    amountMicro += other.amountMicro
    limitMicro += other.limitMicro
  }
  return { amountMicro, limitMicro }
}

function less(row: FloatRow, others: readonly FloatRow[]): FloatRow {
  const sums = more(NO_REST, others)
  return {
    amountMicro: row.amountMicro - sums.amountMicro,
    limitMicro: row.limitMicro - sums.limitMicro,
  }
}

/** Told once the batch is committed. Calls may have drawn meanwhile, but only from what stays. */
export function rememberFloat(floats: Map<string, Float>, change: FloatChange): void {
  const { accountId, float, next } = change
  if (next === undefined) {
    floats.delete(accountId)
    return
  }
  floats.set(accountId, float ?? next)
  if (float !== undefined) changeFloat(float, next, change)
}

function changeFloat(float: Float, next: FloatRow, { ended, changed }: FloatChange): void {
  float.amountMicro = next.amountMicro
  float.limitMicro = next.limitMicro
  for (const { holdId, amountMicro, limitMicro } of ended) {
    if (!float.drawn.delete(holdId)) continue
    float.drawnMicro -= amountMicro
    float.drawnLimitsMicro -= limitMicro
  }
  for (const { holdId, accountId, owner, amountMicro, limitMicro } of changed) {
    const earlier = float.drawn.get(holdId)
    if (earlier === undefined) continue
    float.drawnMicro += amountMicro - earlier.amountMicro
    float.drawnLimitsMicro += limitMicro - earlier.limitMicro
    float.drawn.set(holdId, { holdId, accountId, owner, amountMicro, limitMicro })
  }
}

/** A float as this process knows it, with what it has sent of it without having had an answer. */
export type OwnFloat = {
  float: Float
  sent: readonly FloatChange[]
  /** It may not have been opened after all. */
  isNew: boolean
}

/**
 * Of what was sent without an answer, the row tells what was committed: calls that it ended have
 * ended, and must not count as drawn.
 */
export function catchUp({ float, sent }: OwnFloat, rowMark: string | undefined): void {
  const done = rowMark === undefined ? undefined : sent.find(({ mark }) => mark === rowMark)
  if (done?.next !== undefined) changeFloat(float, done.next, done)
}
