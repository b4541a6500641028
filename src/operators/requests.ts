import type { Db, Tx } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import type { Actor } from './actor.ts'
import { withAuditLog, type RecordEvent } from './audit-log.ts'
import { operatorsBehind } from './linked-store.ts'
import {
  countWaitingOf,
  decideRequest,
  insertRequest,
  lockWaiting,
  type OperatorRequest,
} from './requests-store.ts'

/** An operator through the API: a command has no account, and waits for nobody. */
export type OperatorActor = Actor & { operatorId: string }

/** What is asked for. The wish is kept as JSON while it waits; the same key is the same request. */
export type AskedAct<Wish extends object = object> = {
  targetId: string
  wish: Wish
  reason: string | undefined
  key: string
}

/** In whose name it is done, and where it is logged. */
export type Hand = { name: string; record: RecordEvent }

/** Something that an operator does alone or, where `waits` says so, with a second owner. */
export type Act<Wish extends object = object, Done = unknown> = {
  /** As the log calls it. */
  action: string
  targetType: string
  /** Throws what this operator may not even ask for. */
  waits(tx: Tx, asker: OperatorActor, asked: AskedAct<Wish>): Promise<boolean>
  /** Undefined when there is nothing to do it to. What cannot be done now throws, and still waits. */
  perform(tx: Tx, hand: Hand, asked: AskedAct<Wish>): Promise<Done | undefined>
  /** When it is committed. */
  afterwards?(asked: AskedAct<Wish>): void
}

export type ActOutcome<Done> =
  | { done: Done; waiting?: undefined }
  | { waiting: string; done?: undefined }

/** So many of one operator, so that nobody's asking hides that of others. */
const MOST_WAITING = 20

/** Does it, or puts it before a second owner. Undefined when there is nothing to do it to. */
export async function doOrAsk<Wish extends object, Done>(
  db: Db,
  actor: Actor,
  act: Act<Wish, Done>,
  asked: AskedAct<Wish>,
): Promise<ActOutcome<Done> | undefined> {
  const { operatorId } = actor
  const outcome = await withAuditLog(db, actor, async (tx, record) => {
    const asker = operatorId === null ? undefined : { ...actor, operatorId }
    if (asker !== undefined && (await act.waits(tx, asker, asked))) {
      return { waiting: await ask(tx, record, { asker, act, asked }) }
    }
    const done = await act.perform(tx, { name: actor.name, record }, asked)
    return done === undefined ? undefined : { done }
  })
  act.afterwards?.(asked)
  return outcome
}

async function ask(
  tx: Tx,
  record: RecordEvent,
  { asker, act, asked }: { asker: OperatorActor; act: Act; asked: AskedAct },
): Promise<string> {
  const { action, targetType } = act
  const { targetId, wish, key, reason = null } = asked
  const by = { askedBy: asker.operatorId, askedByName: asker.name }
  const request = { action, targetType, targetId, wish, reason, key, ...by }
  const { id, fresh } = await insertRequest(tx, request)
  if (!fresh) return id
  if ((await countWaitingOf(tx, asker.operatorId)) > MOST_WAITING) {
    throw new Failure(
      'conflict',
      `${MOST_WAITING} of your requests wait for a second owner already.`,
    )
  }
  const target = { type: targetType, id: targetId }
  await record({ action: `${action}_ask`, target, reason: asked.reason, after: wish })
  return id
}

type Decision = { id: string; approve: boolean; reason: string }

/** Undefined when there is no such request, or another owner was faster. */
export async function decideOnRequest(
  db: Db,
  actor: OperatorActor,
  acts: readonly Act[],
  decision: Decision,
): Promise<{ approved: unknown } | { turnedDown: true } | undefined> {
  if (!isUuid(decision.id)) return undefined
  let approved: { act: Act; asked: AskedAct } | undefined
  const outcome = await withAuditLog(db, actor, async (tx, record) => {
    const request = await lockWaiting(tx, decision.id)
    const act = acts.find(({ action }) => action === request?.action)
    if (!request || !act) return undefined
    await requireDisinterest(tx, actor, { request, decision })
    if (!decision.approve) return turnDown(tx, record, { request, decision })
    const asked = { ...request, reason: request.reason ?? undefined }
    const done = await act.perform(tx, handOfBoth(actor, record, { request, decision }), asked)
    if (done === undefined) return undefined
    await decideRequest(tx, request.id, 'approved')
    approved = { act, asked }
    return { approved: done }
  })
  if (approved) approved.act.afterwards?.(approved.asked)
  return outcome
}

type Deciding = { request: OperatorRequest; decision: Decision }

/** Whoever asked may take it back, and nothing else; nor does anybody decide on their own account. */
async function requireDisinterest(
  tx: Tx,
  actor: OperatorActor,
  { request, decision }: Deciding,
): Promise<void> {
  if (request.askedBy === actor.operatorId) {
    if (!decision.approve) return
    throw new Failure('forbidden', 'You asked for this yourself: another operator has to approve.')
  }
  if (request.targetType === 'account') await requireNotBehind(tx, actor, request.targetId)
}

/** Operators decide nothing about their own accounts, nor about those that are linked with them. */
export async function requireNotBehind(tx: Tx, actor: Actor, accountId: string): Promise<void> {
  const { operatorId } = actor
  if (operatorId === null || !(await operatorsBehind(tx, accountId)).includes(operatorId)) return
  throw new Failure(
    'forbidden',
    'This is your own account, or one with an address or number of yours: another operator has to do it.',
  )
}

async function turnDown(
  tx: Tx,
  record: RecordEvent,
  { request, decision }: Deciding,
): Promise<{ turnedDown: true }> {
  await decideRequest(tx, request.id, 'refused')
  const target = { type: request.targetType, id: request.targetId }
  const before = { asked_by: request.askedByName }
  await record({ action: `${request.action}_refuse`, target, reason: decision.reason, before })
  return { turnedDown: true }
}

/** What is logged meanwhile says who asked, and is not counted as done by one alone. */
function handOfBoth(
  actor: OperatorActor,
  record: RecordEvent,
  { request, decision }: Deciding,
): Hand {
  const by = { asked_by: request.askedByName, approval: decision.reason }
  return {
    name: `${request.askedByName}, approved by ${actor.name}`,
    record: ({ action, after, ...event }) =>
      record({ ...event, action: `${action}_approve`, after: { ...after, ...by } }),
  }
}
