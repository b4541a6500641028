import type { Guard } from './guard.ts'
import { ACCOUNTS_GUARDS } from './accounts.ts'
import { ADMINISTRATION_GUARDS } from './administration.ts'
import { BILLING_GUARDS } from './billing.ts'
import { CONSOLE_GUARDS } from './console.ts'
import { GATEWAY_GUARDS } from './gateway.ts'
import { GATEWAY_MONEY_GUARDS } from './gateway-money.ts'
import { APP_GUARDS } from './app.ts'
import { HTTP_GUARDS } from './http.ts'
import { OUTGOING_GUARDS } from './outgoing.ts'
import { PASSKEY_GUARDS } from './passkeys.ts'
import { PAYMENTS_GUARDS } from './payments.ts'
import { REFUSED_GUARDS } from './refused.ts'
import { UPSTREAM_GUARDS } from './upstream.ts'

export const GUARDS: readonly Guard[] = [
  ...BILLING_GUARDS,
  ...GATEWAY_MONEY_GUARDS,
  ...GATEWAY_GUARDS,
  ...UPSTREAM_GUARDS,
  ...REFUSED_GUARDS,
  ...ACCOUNTS_GUARDS,
  ...PASSKEY_GUARDS,
  ...PAYMENTS_GUARDS,
  ...HTTP_GUARDS,
  ...ADMINISTRATION_GUARDS,
  ...CONSOLE_GUARDS,
  ...APP_GUARDS,
  ...OUTGOING_GUARDS,
]
