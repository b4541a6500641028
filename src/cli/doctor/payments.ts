import { randomUUID } from 'node:crypto'
import type { PaymentProvider } from '../../payments/provider.ts'
import { bad, good, type Diagnosis } from './diagnosis.ts'

/** Asks each provider for a payment that does not exist: the answer shows whether it knows us. */
export async function examinePayments(providers: readonly PaymentProvider[]): Promise<Diagnosis[]> {
  return Promise.all(providers.map(examineOne))
}

async function examineOne(provider: PaymentProvider): Promise<Diagnosis> {
  const part = `payments ${provider.name}`
  const found = await provider.status(nothing())
  if (found.status !== 'unreachable') return good(part, 'It accepts our credentials.')
  if (/^status_(401|403)$|^token$/.test(found.reason)) {
    const cure = `Correct the keys of ${provider.name} in the settings.`
    return bad(part, 'It refuses our credentials.', cure)
  }
  // The provider answered, even if with an error: that is what this checks.
  if (found.reason.startsWith('status_4')) return good(part, 'It accepts our credentials.')
  return bad(part, `It does not answer (${found.reason}).`, 'Check its address and the network.')
}

function nothing() {
  const reference = `DOCTOR${randomUUID().replaceAll('-', '').slice(0, 14).toUpperCase()}`
  return {
    id: randomUUID(),
    reference,
    providerRef: reference,
    amountTzs: 500,
    currency: 'TZS',
    phoneNumber: '+255700000000',
    payerName: '-',
    payerEmail: undefined,
  }
}
