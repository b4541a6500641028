import { randomUUID } from 'node:crypto'
import type { Delays, MoneySimulator } from '../../simulator/money/server.ts'
import { startMoneySimulator } from '../../simulator/money/server.ts'
import type { Db } from '../../src/db/db.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Log, LogFields } from '../../src/lib/log.ts'
import { clickpesa } from '../../src/payments/clickpesa.ts'
import type { Payment, Payments, PaymentsParts } from '../../src/payments/payments.ts'
import { createPayments } from '../../src/payments/payments.ts'
import { findById } from '../../src/payments/payments-read-store.ts'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import type { CheckTiming } from '../../src/payments/schedule.ts'
import { snippe } from '../../src/payments/snippe.ts'
import type { TopUpRules } from '../../src/payments/topup.ts'
import { openStoredAnswers } from '../../src/idempotency/replay-store.ts'
import { billingRoutes } from '../../src/routes/billing.ts'
import { paymentRoutes } from '../../src/routes/payments.ts'
import { startServer } from './server.ts'
import { eventually } from './eventually.ts'

export const KEYS = {
  snippe: { apiKey: 'snp_test', webhookSecret: 'whsec_test' },
  clickpesa: { clientId: 'IDtest', apiKey: 'SKtest', checksumKey: 'CHKtest' },
}

const RULES: TopUpRules = {
  minTzs: 500,
  maxTzs: 3_000_000,
  creditsPerTzs: '1',
  requireVerifiedPhone: true,
  expiresInS: 1800,
}

/** Everything a hundred times faster than in life. */
export const FAST: Partial<CheckTiming> = {
  leaseS: 1,
  pendingS: [0.05, 0.1, 0.2],
  overdueS: 0.2,
  lateS: [0.1, 0.2, 0.3, 0.5, 1, 2, 4],
  wordS: 0.3,
}

const FAST_MONEY: Partial<Delays> = { fastMs: 30, normalMs: 60, lateMs: 1500, retryMs: 30 }

export function startMoney(delays: Partial<Delays> = FAST_MONEY): Promise<MoneySimulator> {
  return startMoneySimulator({ ...KEYS, delays })
}

type ProviderSettings = {
  /** How long the provider may take to answer. */
  timeoutMs?: number
  fallbackEmail?: string
}

function providerAt(
  name: 'snippe' | 'clickpesa',
  simulatorUrl: string,
  callbackUrl: () => string,
  { timeoutMs = 10_000, fallbackEmail = 'a@b.tz' }: ProviderSettings,
): PaymentProvider {
  const baseUrl = simulatorUrl
  return name === 'snippe'
    ? snippe({ baseUrl, ...KEYS.snippe, callbackUrl, fallbackEmail, timeoutMs })
    : clickpesa({ baseUrl, ...KEYS.clickpesa, timeoutMs })
}

export type Line = { message: string; fields: LogFields }

function listeningLog(): { log: Log; lines: Line[] } {
  const lines: Line[] = []
  const write = (message: string, fields: LogFields = {}) => void lines.push({ message, fields })
  const log = { debug: write, info: write, warn: write, error: write, flush: async () => {} }
  return { log, lines }
}

/** Payments behind their real routes, with a provider of their own. */
export async function startPayments(
  options: ProviderSettings & {
    db: Db
    provider?: 'snippe' | 'clickpesa'
    simulator: Pick<MoneySimulator, 'url'>
    port?: number
    rules?: Partial<TopUpRules>
    payer?: Partial<Awaited<ReturnType<PaymentsParts['payerOf']>>>
    /** The last seven digits of the paying phone: they choose the outcome. */
    phone?: string
    timing?: Partial<CheckTiming>
    onStep?: (step: string) => Promise<void> | void
  },
) {
  const { db, provider = 'snippe', simulator } = options
  const { log, lines } = listeningLog()
  let url = ''
  const payer = {
    name: 'Asha Juma',
    email: 'asha@example.tz',
    phoneVerified: true,
    ...options.payer,
  }
  let phone = options.phone ?? '1234567'
  const payments: Payments = createPayments({
    db,
    log,
    clock: systemClock,
    providers: [
      providerAt(
        provider,
        simulator.url,
        () => `${url}/v1/payments/callbacks/${provider}`,
        options,
      ),
    ],
    rules: { ...RULES, ...options.rules },
    payerOf: async () => ({ phoneNumber: `+25575${phone}`, ...payer }),
    timing: options.timing ?? FAST,
    onStep: options.onStep,
  })
  const hallway = await startServer({
    routes: [...paymentRoutes({ payments }), ...billingRoutes({ db })],
    storedAnswers: openStoredAnswers({ db, processId: randomUUID() }),
    log,
    settings: { RATE_LIMIT_ACCOUNT_RPM: 1_000_000 },
    ...(options.port === undefined ? {} : { port: options.port }),
  })
  url = hallway.url
  if ('control' in simulator) {
    const { control } = simulator as MoneySimulator
    control.setClickpesaWebhook(`${url}/v1/payments/callbacks/clickpesa`)
  }
  return {
    url,
    payments,
    lines,
    provider,
    /** Chooses the outcome of the next top-ups. */
    payWith(suffix: string) {
      phone = `123${suffix}`
    },
    close: async () => {
      await hallway.close()
      await payments.idle()
    },
  }
}

/** Reconciles, as the background job does, until the payment is what it should be. */
export async function until(
  db: Db,
  payments: Payments,
  id: string,
  wanted: (payment: Payment) => boolean,
): Promise<Payment> {
  return eventually(`the payment fits ${wanted.toString()}`, async () => {
    await payments.reconcile(new AbortController().signal)
    const payment = await findById(db, id)
    return payment && wanted(payment) && payment
  })
}

/** What the ledger gave for one payment. */
export async function creditsFor(db: Db, paymentId: string): Promise<bigint[]> {
  const rows = await db.query<{ amount_micro: bigint }>(
    'select amount_micro from ledger_entries where key = $1 or reference_id = $2',
    [`topup:${paymentId}`, paymentId],
  )
  return rows.map((row) => row.amount_micro)
}

export async function addAccount(db: Db, id: string): Promise<void> {
  await db.query(
    `insert into accounts (id, full_name, email, email_verified_at, phone_number, phone_verified_at,
       status, locale)
     values ($1, 'Asha Juma', $2, now(), '+255751234567', now(), 'active', 'en')`,
    [id, `${id}@example.tz`],
  )
}
