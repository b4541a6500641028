import { Failure, type FailureKind } from '../../lib/failure.ts'
import type { Answer } from '../../lib/answer.ts'
import { dearestOf } from '../price/dearest.ts'
import type { Gateway, GatewayCall } from '../gateway.ts'
import type { Choice } from './choice.ts'
import type { ChatOrder } from './form.ts'
import { fitting } from './fitting.ts'
import type { Wishes } from './wishes.ts'

/** A request of a dialect to one model, ready to be asked. */
type Asked = { order: ChatOrder }

type Dialect<Body, Made extends Asked> = {
  order(body: Body): Promise<Made>
  answer(made: Made): Promise<Answer & { stored?: true }>
}

/**
 * Asks the models that the caller chose, one after the other, until one answers. Each is asked with a
 * request and a bill of its own, so the one that answers is the one that is charged; while it is
 * asked, as much is held as the dearest of it and those after it may need.
 */
export async function firstToAnswer<Body, Made extends Asked>(
  gateway: Pick<Gateway, 'catalog' | 'upstreams'>,
  call: Pick<GatewayCall, 'signal'>,
  { bodies, wishes }: Choice<Body>,
  dialect: Dialect<Body, Made>,
): Promise<Answer & { stored?: true }> {
  if (bodies.length === 1 && wishes === undefined) {
    return dialect.answer(await dialect.order(bodies[0]!))
  }
  const able = await ableOf(bodies, async (body) => {
    const made = await dialect.order(body)
    return wishes ? { ...made, order: fitting(gateway, made.order, wishes) } : made
  })
  const list = wishes?.cheapestFirst ? able.toSorted(byEstimate) : able
  for (const [i, made] of list.entries()) {
    try {
      const held = dearestOf(list.slice(i).map(({ order }) => order.estimate))
      const order = { ...made.order, held, targets: targetsOf(gateway, made.order, wishes) }
      return await dialect.answer({ ...made, order })
    } catch (error) {
      if (i === list.length - 1 || !mayAskAnother(error, call)) throw error
    }
  }
  throw new Error('no model was asked')
}

/** Whatever went wrong, as long as nobody did the work, and somebody still wants it. */
function mayAskAnother(error: unknown, { signal }: Pick<GatewayCall, 'signal'>): boolean {
  return error instanceof Failure && error.unanswered && !signal.aborted
}

function byEstimate({ order: a }: Asked, { order: b }: Asked): number {
  return Number(a.estimate.estimateMicro - b.estimate.estimateMicro)
}

function targetsOf(
  { upstreams }: Pick<Gateway, 'upstreams'>,
  { targets, request }: ChatOrder,
  wishes: Wishes | undefined,
): ChatOrder['targets'] {
  if (wishes?.onlyFirst !== true) return targets
  return upstreams.order(targets, 'chat', request.session).slice(0, 1)
}

/** Each model once. Those that cannot do what is asked are skipped, unless none is left. */
async function ableOf<Body, Made extends Asked>(
  bodies: readonly Body[],
  order: (body: Body) => Promise<Made>,
): Promise<Made[]> {
  const able = new Map<string, Made>()
  let why: Failure | undefined
  for (const body of bodies) {
    try {
      const made = await order(body)
      const { model } = made.order.stage
      if (!able.has(model)) able.set(model, made)
    } catch (error) {
      if (!(error instanceof Failure) || !UNABLE.has(error.kind)) throw error
      if (why === undefined || why.kind === 'not_found') why = error
    }
  }
  if (able.size === 0) throw why!
  return [...able.values()]
}

const UNABLE: ReadonlySet<FailureKind> = new Set(['not_found', 'unsuitable', 'invalid'])
