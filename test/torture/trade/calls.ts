import { randomUUID } from 'node:crypto'
import { startHeartbeat } from '../../../src/ledger/heartbeat-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { dropOf, openBill } from '../../../src/gateway/bill/billable.ts'
import type { Billing } from '../../../src/gateway/bill/billing.ts'
import { openDoubtfulCharges } from '../../../src/gateway/bill/doubtful-charges.ts'
import { billingOn, unwatched } from '../../support/money/billing.ts'
import { newCourse, type BillLine, type Stage } from '../../../src/gateway/bill/rows.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Random } from '../load/random.ts'

const MODELS = ['lab/small', 'lab/large', 'lab/voice', 'lab/picture', 'lab/film']
const UPSTREAMS = ['north', 'south']
const NEVER = new AbortController().signal

/** Paid calls with made-up work: the holds, settlements and refunds are the product's own. */
export async function openCalls(parts: {
  db: Db
  clock: Clock
  dataDir: string
  timeZone: string
  random: Random
}) {
  const { db, clock, random } = parts
  const processId = randomUUID()
  const heartbeat = await startHeartbeat(db, processId)
  const doubtfulCharges = openDoubtfulCharges({ db, dataDir: parts.dataDir, log: silentLog })
  const { timeZone } = parts
  const billing = await billingOn(db, { doubtfulCharges, processId, clock, timeZone })
  return {
    /** Paid, broken, left, or refused because there is no money. */
    call: (accountId: string) => oneCall(billing, accountId, random),
    /** Gives back the charges of the last calls, as after settlements whose answer was lost. */
    async refund(count: number): Promise<number> {
      const charged = await lastCharges(db, count)
      for (const { id, account_id: accountId, model } of charged) {
        await doubtfulCharges.note({ accountId, holdId: randomUUID(), recordIds: [id], model })
      }
      await doubtfulCharges.giveBack()
      return charged.length
    },
    beat: () => heartbeat.run(NEVER),
  }
}

function lastCharges(db: Db, count: number) {
  return db.query<{ id: string; account_id: string; model: string }>(
    `select id, account_id, model from activity_records
     where cost_micro > 0 and not exists (
       select from ledger_entries where key = 'refund:' || activity_records.id)
     order by created_at desc, id limit $1`,
    [count],
  )
}

async function oneCall(
  billing: Billing,
  accountId: string,
  random: Random,
): Promise<'paid' | 'broken' | 'refused'> {
  const kinds = random.chance(0.05) ? VOICE : [random.pick(KINDS)]
  const lines = kinds.map((kind) => lineOf(kind, random))
  const most = lines.reduce((sum, one) => sum + one.costMicro, 0n)
  const principal = { kind: 'key' as const, accountId, keyId: accountId, workspaceId: accountId }
  // Some come to cost more than was held for them, and a few more than the account has.
  const minimumMicro = random.chance(0.2) ? most / 10n : most
  const { stage } = lines[0]!
  const order = {
    principal,
    requestId: 'req_trade',
    stage,
    estimateMicro: minimumMicro,
    minimumMicro,
  }
  const luck = random.next()
  try {
    const bill = await openBill(billing, unwatched(order))
    if (luck < 0.93) {
      await bill.settle(lines)
      return 'paid'
    }
    const { stage: last, course, costMicro: micro, upstreamCost } = lines.at(-1)!
    const broken = dropOf(new Failure('upstream_failed', 'It broke.'), last, 5, NEVER)
    const waived = luck < 0.96 ? undefined : { micro, upstreamCost }
    await bill.drop({ ...broken, course, waived, ran: lines.slice(0, -1) })
    return 'broken'
  } catch (error) {
    if (error instanceof Failure && error.kind === 'insufficient') return 'refused'
    throw error
  }
}

const KINDS = ['chat', 'embeddings', 'speech', 'transcription', 'image'] as const
const VOICE = ['voice_transcription', 'voice_text', 'voice_speech'] as const

function lineOf(kind: Stage['kind'], random: Random): BillLine {
  const nusd = BigInt(random.between(0, 4_000_000))
  const basis = random.pick(['reported', 'reported', 'list', 'estimated'] as const)
  const course = newCourse()
  course.upstream = random.pick(UPSTREAMS)
  course.attempts = random.between(1, 3)
  return {
    stage: { kind, model: random.pick(MODELS) },
    // About 3,000 credits a dollar; some calls are sold at a loss.
    costMicro: nusd * BigInt(random.between(2, 4)) + BigInt(random.between(0, 3)),
    latencyMs: random.between(1, 900),
    promptTokens: random.between(0, 5_000),
    completionTokens: random.between(0, 900),
    estimated: basis === 'estimated',
    upstreamCost: random.chance(0.98) ? { nusd, basis } : undefined,
    course,
  }
}
