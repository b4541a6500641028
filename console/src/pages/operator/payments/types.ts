import type { Answer } from '../../../client/ask.ts'

export type Payment = Answer<'GET /v1/operator/payments/{id}'>['data']

/** What asking the provider, or a resolution, changes. */
export const PAYMENT_ROUTES = [
  'GET /v1/operator/payments/{id}',
  'GET /v1/operator/payments',
  'GET /v1/operator/attention',
  'GET /v1/operator/accounts/{id}',
  'GET /v1/operator/accounts/{id}/transactions',
  'GET /v1/operator/accounts/{id}/payments',
] as const
