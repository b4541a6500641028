import type { Guard } from './guard.ts'

/** Money that comes in, and the notices about it. */
export const PAYMENTS_GUARDS: readonly Guard[] = [
  {
    name: 'a callback needs the right signature',
    file: 'src/payments/snippe.ts',
    find: "if (!safeEqual(signature.toLowerCase(), expected)) return refuse('signature_wrong')",
    put: '',
    test: 'test/payments/callbacks.test.ts',
    fails: /./,
  },
  {
    name: 'a completed payment is credited once',
    file: 'src/payments/payment-state.ts',
    find: "if (state.status === 'completed') return whenCompleted(state, finding)",
    put: '',
    test: 'test/payments/payment-state.test.ts',
    fails: /./,
  },
  {
    name: 'the amount paid must be the amount requested',
    file: 'src/payments/doubt.ts',
    find: 'found.amountTzs !== ordered.amountTzs',
    put: 'Number.isNaN(found.amountTzs)',
    test: 'test/payments/payment-state.test.ts',
    fails: /./,
  },
  {
    name: "another account's notification cannot be read",
    file: 'src/notices/notices-store.ts',
    find: 'where id = $1 and account_id = $2\n',
    put: 'where id = $1 and $2::uuid is not null\n',
    test: 'test/contract/accounts/notifications.test.ts',
    fails: /./,
  },
  {
    name: 'word of a completed payment makes us ask',
    file: 'src/payments/payments-store.ts',
    find: 'then greatest(now(), asked_again_at + make_interval(secs => $2)) else now() end',
    put: "then null::timestamptz + $2::float8 * interval '1 second' else now() end",
    test: 'test/payments/reversals.test.ts',
    fails: /one question, a mark/,
  },
  {
    name: 'a completed payment that is no longer confirmed is put before a person',
    file: 'src/payments/payment-state.ts',
    find: 'return { ...same, ...doubtOf(state, finding) }',
    put: 'return { ...same, said: doubtOf(state, finding)?.said }',
    test: 'test/payments/reversals.test.ts',
    fails: /a mark for the operator/,
  },
  {
    name: 'a payment that was taken back in part is looked at',
    file: 'src/payments/callback.ts',
    find: "if (payment.status === 'completed') return undefined",
    put: '',
    test: 'test/payments/reversals.test.ts',
    fails: /a part that was taken back/,
  },
  {
    name: "another account's payment is not asked about",
    file: 'src/payments/payments.ts',
    find: 'if (payment?.accountId !== accountId) {',
    put: 'if (payment === undefined) {',
    test: 'test/contract/money/payment-check.test.ts',
    fails: /another account's/,
  },
]
