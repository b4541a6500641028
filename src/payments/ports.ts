import { clickpesa } from './clickpesa.ts'
import type { PaymentPort } from './port.ts'
import { snippe } from './snippe.ts'
import type { TopUpRules } from './topup.ts'

/** The settings of this room, as the environment names them. */
export type PaymentSettings = {
  PAYMENT_PROVIDER: 'simulator' | 'snippe' | 'clickpesa'
  SNIPPE_BASE_URL: string
  SNIPPE_API_KEY?: string | undefined
  SNIPPE_WEBHOOK_SECRET?: string | undefined
  SNIPPE_FALLBACK_EMAIL?: string | undefined
  CLICKPESA_BASE_URL: string
  CLICKPESA_CLIENT_ID?: string | undefined
  CLICKPESA_API_KEY?: string | undefined
  CLICKPESA_CHECKSUM_KEY?: string | undefined
  TOPUP_MIN_TZS: number
  TOPUP_MAX_TZS: number
  TOPUP_CREDITS_PER_TZS: string
  TOPUP_EXPIRY_MINUTES: number
  TOPUP_REQUIRE_VERIFIED_PHONE: boolean
}

export type Simulator = { url: string; apiKey: string; webhookSecret: string }

/**
 * The provider of new payments, and behind it every other one whose keys are set: payments that
 * were under way when the setting changed are still asked about where they were made.
 */
export function openPorts(
  settings: PaymentSettings,
  where: { publicUrl: () => string; simulator: Simulator | undefined },
): [PaymentPort, ...PaymentPort[]] {
  const ports = [
    simulated(settings, where),
    realSnippe(settings, where.publicUrl),
    realClickpesa(settings),
  ].filter((port) => port !== undefined)
  const chosen = ports.find((port) => port.name === settings.PAYMENT_PROVIDER)
  if (!chosen) throw new Error('The payment provider is not configured.')
  return [chosen, ...ports.filter((port) => port !== chosen)]
}

export function topUpRules(settings: PaymentSettings): TopUpRules {
  return {
    minTzs: settings.TOPUP_MIN_TZS,
    maxTzs: settings.TOPUP_MAX_TZS,
    creditsPerTzs: settings.TOPUP_CREDITS_PER_TZS,
    requireVerifiedPhone: settings.TOPUP_REQUIRE_VERIFIED_PHONE,
    expiresInS: settings.TOPUP_EXPIRY_MINUTES * 60,
  }
}

const NO_EMAIL = 'customer@example.com'

type Where = Parameters<typeof openPorts>[1]

/** Speaks Snippe's wire under a name of its own, so that play money is never mistaken for real. */
function simulated(settings: PaymentSettings, { simulator, publicUrl }: Where) {
  if (!simulator || settings.PAYMENT_PROVIDER !== 'simulator') return undefined
  const { url, apiKey, webhookSecret } = simulator
  const name = 'simulator'
  const baseUrl = url
  const fallbackEmail = NO_EMAIL
  const callbackUrl = callbackTo(publicUrl, name)
  return snippe({ name, baseUrl, apiKey, webhookSecret, callbackUrl, fallbackEmail })
}

function realSnippe(settings: PaymentSettings, publicUrl: () => string) {
  const { SNIPPE_API_KEY: apiKey, SNIPPE_WEBHOOK_SECRET: webhookSecret } = settings
  if (apiKey === undefined || webhookSecret === undefined) return undefined
  const baseUrl = settings.SNIPPE_BASE_URL
  const callbackUrl = callbackTo(publicUrl, 'snippe')
  const fallbackEmail = settings.SNIPPE_FALLBACK_EMAIL ?? NO_EMAIL
  return snippe({ baseUrl, apiKey, webhookSecret, callbackUrl, fallbackEmail })
}

function realClickpesa(settings: PaymentSettings) {
  const {
    CLICKPESA_CLIENT_ID: clientId,
    CLICKPESA_API_KEY: apiKey,
    CLICKPESA_CHECKSUM_KEY: checksumKey,
  } = settings
  if (clientId === undefined || apiKey === undefined || checksumKey === undefined) return undefined
  return clickpesa({ baseUrl: settings.CLICKPESA_BASE_URL, clientId, apiKey, checksumKey })
}

function callbackTo(publicUrl: () => string, name: string): () => string {
  return () => `${publicUrl().replace(/\/$/, '')}/v1/payments/callbacks/${name}`
}
