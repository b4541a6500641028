import type { PaymentRecords, SimPayment } from './payments.ts'
import type { Plan } from './outcomes.ts'

export type Request = {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown>
}
/** `hang`: the connection stays open and is never answered. */
export type Reply = { status: number; json: unknown; headers?: Record<string, string> } | 'hang'

export type ProviderState = {
  records: PaymentRecords
  /** Starts what the plan says; resolves when the create request may be answered. */
  begin(payment: SimPayment, plan: Plan): Promise<void>
  /** Caller references that were rate-limited once already. */
  rateLimited: Set<string>
}

/** The customer got the push, but the caller gets an error or no answer. */
export function afterPush(plan: Plan, error: Exclude<Reply, 'hang'>): Reply | undefined {
  if (plan.create === 'hang_after_push') return 'hang'
  return plan.create === 'error_after_push' ? error : undefined
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
