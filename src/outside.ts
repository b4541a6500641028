import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { clickpesa } from './payments/clickpesa.ts'
import type { PaymentPort } from './payments/port.ts'
import { snippe } from './payments/snippe.ts'
import { readUpstreams, type UpstreamConfig } from './upstream/upstreams-file.ts'

/** The world beyond the door: real where it is configured, simulated where it is not. */
export type Outside = {
  upstreams: UpstreamConfig[]
  payments: PaymentPort
  simulated: { upstreams: boolean; payments: boolean }
  close(): Promise<void>
}

/** `callbackBase` is asked late: the port may be known only once we listen. */
export async function openOutside(
  config: Config,
  env: Record<string, string | undefined>,
  callbackBase: () => string,
): Promise<Outside> {
  const closers: (() => Promise<void>)[] = []
  const callbackUrl = (provider: string) => () =>
    `${callbackBase()}/v1/payments/callbacks/${provider}`
  const upstreams =
    config.UPSTREAMS_FILE === undefined
      ? await simulatedUpstreams(closers)
      : readUpstreams(JSON.parse(await readFile(config.UPSTREAMS_FILE, 'utf8')), env)
  const payments =
    config.PAYMENT_PROVIDER === 'simulator'
      ? await simulatedPayments(config, callbackUrl('simulator'), closers)
      : paymentPort(config, callbackUrl(config.PAYMENT_PROVIDER))
  return {
    upstreams,
    payments,
    simulated: {
      upstreams: config.UPSTREAMS_FILE === undefined,
      payments: config.PAYMENT_PROVIDER === 'simulator',
    },
    close: async () => void (await Promise.all(closers.map((close) => close()))),
  }
}

function paymentPort(config: Config, callbackUrl: () => string): PaymentPort {
  // `config.ts` has refused a provider without its keys.
  if (config.PAYMENT_PROVIDER === 'clickpesa') {
    return clickpesa({
      baseUrl: config.CLICKPESA_BASE_URL,
      clientId: config.CLICKPESA_CLIENT_ID!,
      apiKey: config.CLICKPESA_API_KEY!,
      checksumKey: config.CLICKPESA_CHECKSUM_KEY!,
    })
  }
  return snippe({
    baseUrl: config.SNIPPE_BASE_URL,
    apiKey: config.SNIPPE_API_KEY!,
    webhookSecret: config.SNIPPE_WEBHOOK_SECRET!,
    callbackUrl,
    fallbackEmail: config.SNIPPE_FALLBACK_EMAIL ?? 'customer@example.com',
  })
}

// The simulators are imported on demand: a real deployment never loads them.

async function simulatedUpstreams(closers: (() => Promise<void>)[]): Promise<UpstreamConfig[]> {
  const { startModelSimulator } = await import('../simulator/models/server.ts')
  const apiKey = randomBytes(24).toString('base64url')
  const latency = { firstMs: 150, pieceMs: 25, videoMs: 8_000 }
  const simulator = await startModelSimulator({ apiKey, latency })
  closers.push(() => simulator.close())
  const file = {
    upstreams: [
      { name: 'simulator', type: 'openrouter', base_url: simulator.url, api_key_env: 'KEY' },
    ],
  }
  return readUpstreams(file, { KEY: apiKey })
}

async function simulatedPayments(
  config: Config,
  callbackUrl: () => string,
  closers: (() => Promise<void>)[],
): Promise<PaymentPort> {
  const { startMoneySimulator } = await import('../simulator/money.ts')
  const key = () => randomBytes(24).toString('base64url')
  const keys = { apiKey: key(), webhookSecret: key() }
  const simulator = await startMoneySimulator({
    snippe: keys,
    clickpesa: { clientId: key(), apiKey: key(), checksumKey: key() },
    // Kept, so that a payment that was pending at a restart is still known there.
    file: join(config.DATA_DIR, 'simulated-payments.json'),
  })
  closers.push(() => simulator.close())
  return snippe({
    name: 'simulator',
    baseUrl: simulator.url,
    ...keys,
    callbackUrl,
    fallbackEmail: 'customer@example.com',
  })
}
