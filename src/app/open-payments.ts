import { findAccount } from '../accounts/accounts-store.ts'
import type { Db } from '../db/db.ts'
import type { BalanceWatch } from '../notices/low-balance.ts'
import { createPayments, type Payments } from '../payments/payments.ts'
import { topUpRules, type Payer } from '../payments/topup.ts'
import type { AppInputs } from './inputs.ts'

export function openPaymentsRoom(inputs: AppInputs, balanceWatch: BalanceWatch): Payments {
  const { config, db, log, clock, providers } = inputs
  return createPayments({
    db,
    log,
    clock,
    providers: providers.payments,
    rules: topUpRules(config),
    payerOf: (accountId) => payerOf(db, accountId),
    balanceWatch,
  })
}

async function payerOf(db: Db, accountId: string): Promise<Payer> {
  // The credential was checked a moment ago: an account that is gone has no phone to charge.
  const account = await findAccount(db, accountId)
  return {
    name: account?.fullName ?? '',
    email: (account?.emailVerified && account.email) || undefined,
    phoneNumber: account?.phoneNumber ?? undefined,
    phoneVerified: account?.phoneVerified ?? false,
  }
}
