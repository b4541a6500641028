import { greater } from '../ledger/money.ts'
import type { BillOrder, Stage } from './bill/rows.ts'
import type { Gateway } from './gateway.ts'

/** What a call would hold at most, what it is likely to cost, and what it may come to cost. */
export type Quote = { stage: Stage; holdMicro: bigint; likelyMicro: bigint; mostMicro: bigint }

/** What a bill is opened with. */
type Weighed = Pick<BillOrder, 'stage' | 'estimateMicro' | 'minimumMicro' | 'bounds' | 'likely'>

/** Thrown where the bill would be opened. */
class Weight extends Error {
  readonly order: Weighed

  constructor(order: Weighed) {
    super('A call was weighed.')
    this.order = order
  }
}

/**
 * The same gateway, with bills that end where they would begin. It can reach neither an upstream nor
 * the ledger, so whatever is forgotten, a call that is only weighed costs nobody anything.
 */
export function weighingGateway(gateway: Gateway): Gateway {
  const { billing, upstreams } = gateway
  const queue = { ...billing.queue, submit: nothingIsDone, submitSurely: nothingIsDone }
  const weigh = (order: Weighed) => {
    throw new Weight(order)
  }
  return {
    ...gateway,
    billing: { ...billing, queue, weigh },
    upstreams: { ...upstreams, call: nothingIsDone, ask: nothingIsDone },
  }
}

function nothingIsDone(): never {
  throw new Error('A call that is only weighed must do nothing.')
}

/** Runs a call of a weighing gateway up to its bill. Throws what the call itself would be refused with. */
export async function quoteOf(call: () => Promise<unknown>): Promise<Quote> {
  const ended = await call().catch((error: unknown) => error)
  if (ended instanceof Weight) return quoted(ended.order)
  if (ended instanceof Error) throw ended
  throw new Error('A paid call ended without a bill.')
}

function quoted({ stage, estimateMicro, minimumMicro, bounds, likely }: Weighed): Quote {
  return {
    stage,
    holdMicro: estimateMicro,
    likelyMicro: likely?.() ?? estimateMicro,
    mostMicro: bounds?.worstCaseMicro ?? greater(estimateMicro, minimumMicro),
  }
}
