/**
 * What the simulated provider does with a payment, chosen by the last four digits of the phone
 * number (…0002) or by an amount from 1,001 TZS on (1,002); any other payment is `NORMAL`.
 */
export type Plan = {
  create?: 'error_after_push' | 'hang_after_push' | 'limited_once' | 'refused'
  end: 'completed' | 'failed' | 'never'
  when: 'normal' | 'fast' | 'late'
  failure?: string
  /** Added to the amount that is reported as collected. */
  amountOff?: number
  currency?: string
  callbacks: readonly CallbackKind[]
  callbackBeforeAnswer?: boolean
  /** The callback says completed; the status query goes on saying pending. */
  statusStaysPending?: boolean
}

/** `twice_at_once` is two copies in parallel; `other_reference` names another payment. */
export type CallbackKind =
  | 'good'
  | 'twice_at_once'
  | 'bad_signature'
  | 'failed_first'
  | 'stale'
  | 'other_reference'

const NORMAL: Plan = { end: 'completed', when: 'normal', callbacks: ['good'] }

const OUTCOMES: Readonly<Record<number, Plan>> = {
  1: { end: 'completed', when: 'fast', callbacks: ['good'] },
  2: { end: 'failed', when: 'fast', failure: 'Insufficient balance', callbacks: ['good'] },
  3: { end: 'failed', when: 'fast', failure: 'Cancelled by user', callbacks: ['good'] },
  4: { end: 'completed', when: 'fast', callbacks: [] },
  5: { end: 'completed', when: 'fast', callbacks: ['good', 'twice_at_once'] },
  6: { end: 'completed', when: 'late', callbacks: ['good'] },
  7: { end: 'completed', when: 'fast', amountOff: -1, callbacks: ['good'] },
  8: { end: 'completed', when: 'fast', callbacks: ['good'], callbackBeforeAnswer: true },
  9: { create: 'error_after_push', end: 'completed', when: 'fast', callbacks: ['good'] },
  10: { create: 'hang_after_push', end: 'completed', when: 'fast', callbacks: ['good'] },
  11: { end: 'completed', when: 'fast', callbacks: ['bad_signature', 'good'] },
  12: { end: 'completed', when: 'fast', callbacks: ['failed_first', 'good'] },
  13: { end: 'completed', when: 'fast', callbacks: ['good'], statusStaysPending: true },
  14: { create: 'limited_once', end: 'completed', when: 'fast', callbacks: ['good'] },
  15: { end: 'never', when: 'normal', callbacks: [] },
  16: { end: 'completed', when: 'fast', currency: 'KES', callbacks: ['good'] },
  17: { create: 'refused', end: 'never', when: 'normal', callbacks: [] },
  18: { end: 'never', when: 'fast', callbacks: ['other_reference'] },
  19: { end: 'completed', when: 'fast', callbacks: ['stale'] },
}

export function planFor(phone: string, amount: number): Plan {
  return OUTCOMES[Number(phone.slice(-4))] ?? OUTCOMES[amount - 1000] ?? NORMAL
}
