import type { Failure } from '../lib/failure.ts'
import type { RequestContext } from './request-context.ts'

/** What became of a call: its metric, its line in the log, and its place among failed sign-ins. */
export function logAnswer(call: RequestContext, status: number, failure?: Failure): void {
  const { context } = call
  // What goes wrong on our side is no failed try either.
  if (status < 400 || status >= 500) call.giveBackSlot?.()
  const durationMs = performance.now() - call.startedMs
  context.meter?.answered(call.plan.name, status, durationMs)
  if (status < 400 && !context.logsSuccesses) return
  const fields = {
    request_id: call.requestId,
    route: call.plan.name,
    status,
    duration_ms: Math.round(durationMs),
    account_id: call.principal?.accountId,
    reason: failure?.kind,
  }
  if (call.left) context.log.info('The caller disconnected.', fields)
  else if (status === 500)
    context.log.error('The request was answered.', { ...fields, error: failure?.cause })
  else if (status > 500)
    context.log.warn('The request was answered.', { ...fields, error: failure })
  else if (status >= 400) context.log.info('The request was answered.', fields)
  else context.log.debug('The request was answered.', fields)
}
