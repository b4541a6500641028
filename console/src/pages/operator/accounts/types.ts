import type { Answer } from '../../../client/ask.ts'

/** What an operator sees of one account. */
export type AccountOverview = Answer<'GET /v1/operator/accounts/{id}'>['data']

/** What the dialogs about an account change. */
export const ACCOUNT_ROUTES = [
  'GET /v1/operator/accounts/{id}',
  'GET /v1/operator/accounts/{id}/transactions',
  'GET /v1/operator/accounts',
  'GET /v1/operator/requests',
  'GET /v1/operator/attention',
] as const

/** What each dialog about an account is given. */
export type AccountActionProps = {
  account: AccountOverview
  onDone(said: string): void
  onClose(): void
}
