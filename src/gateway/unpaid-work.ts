import type { Dropped, StageUsage, Waived, BillLine, Stage } from './bill/rows.ts'
import { refusedKind } from './bill/allowance-store.ts'
import type { Bill } from './bill/billable.ts'
import { refusedUsage } from '../upstream/contract/upstream-error.ts'
import type { UsageReading } from '../upstream/contract/usage.ts'
import type { Gateway } from './gateway.ts'
import { listCost } from './price/reported-cost.ts'

/* Work that an upstream did and nobody pays for: left by its caller, or of no use. */

/** How a call ends that its caller left. */
export function leftOf(line: Pick<BillLine, 'stage' | 'course' | 'latencyMs'>): Dropped {
  const { stage, course, latencyMs } = line
  return { status: 'cancelled', errorCode: 'caller_left', stage, course, latencyMs }
}

/**
 * A caller who left counts against the allowance, although nothing was delivered, and so does an
 * answer that was refused: the upstream has worked.
 */
export async function dropWork(
  gateway: Pick<Gateway, 'allowance' | 'callLimits' | 'catalog'>,
  bill: Bill,
  end: Dropped,
  work: {
    accountId: string
    micro: bigint
    /** What of it was counted when the caller left. */
    countedMicro: bigint
    refused?: Waived | undefined
  },
): Promise<void> {
  const { accountId, countedMicro, refused } = work
  const unpaid = end.status === 'cancelled' ? work.micro : 0n
  const known = refused?.upstreamCost !== undefined
  const waived = known ? refused : waivedAs(gateway, end.stage, refused?.micro ?? unpaid)
  if (refused) gateway.callLimits.doubt(accountId, end.stage.kind)
  const kind = refused && refusedKind(end.stage.kind)
  const unpaidWork = { accountId, micro: waived.micro, countedMicro, kind }
  await gateway.allowance.drop(bill, { ...end, waived }, unpaidWork)
}

export function waivedWork({ costMicro: micro, upstreamCost }: StageUsage): Waived {
  return { micro, upstreamCost }
}

export function waivedAs(
  { catalog }: Pick<Gateway, 'catalog'>,
  { model }: Stage,
  micro: bigint,
): Waived {
  const rate = catalog.find(model)?.price
  return { micro, upstreamCost: rate && micro > 0n ? listCost(micro, rate, false) : undefined }
}

/** Without a report it is what was expected, at least. */
export function refusedWork(
  error: unknown,
  { estimateMicro, refused }: { estimateMicro: bigint; refused(reading: UsageReading): StageUsage },
): Waived | undefined {
  const reading = refusedUsage(error)
  if (reading === undefined) return undefined
  const made = waivedWork(refused(reading))
  const expected = reading.kind !== 'reported' && estimateMicro > made.micro
  return expected ? { micro: estimateMicro } : made
}
