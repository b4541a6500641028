import type { Book, SimPayment } from './money-book.ts'
import type { Plan } from './money-outcomes.ts'

export type Request = {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown>
}
/** `hang`: the socket is held and never answered. */
export type Reply = { status: number; json: unknown; headers?: Record<string, string> } | 'hang'

export type Wire = {
  book: Book
  /** Starts what the plan says; resolves when the create may be answered. */
  begin(payment: SimPayment, plan: Plan): Promise<void>
  limited: Set<string>
}

/** The push happened, but the caller is not told so. */
export function afterPush(plan: Plan, error: Exclude<Reply, 'hang'>): Reply | undefined {
  if (plan.create === 'hang_after_push') return 'hang'
  return plan.create === 'error_after_push' ? error : undefined
}

export function words(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
