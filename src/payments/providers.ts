import type { ClickpesaSettings } from './clickpesa.ts'
import { clickpesaFromSettings } from './clickpesa.ts'
import type { PaymentProvider } from './provider.ts'
import type { SnippeSettings } from './snippe.ts'
import { snippe, snippeFromSettings } from './snippe.ts'

/** Which provider takes new payments, and the settings of each. */
export type PaymentSettings = { PAYMENT_PROVIDER: string } & SnippeSettings & ClickpesaSettings

export type SimulatedProvider = { url: string; apiKey: string; webhookSecret: string }

/**
 * The provider of new payments, and behind it every other one whose keys are set: payments that
 * were under way when the setting changed are still checked where they were made.
 */
export function openPaymentProviders(
  settings: PaymentSettings,
  where: { publicUrl: () => string; simulator: SimulatedProvider | undefined },
): [PaymentProvider, ...PaymentProvider[]] {
  const callbackUrl = (provider: string) =>
    `${where.publicUrl().replace(/\/$/, '')}/v1/payments/callbacks/${provider}`
  const configured = [
    settings.PAYMENT_PROVIDER === 'simulator' ? simulated(where.simulator, callbackUrl) : undefined,
    snippeFromSettings(settings, callbackUrl),
    clickpesaFromSettings(settings),
  ].filter((provider) => provider !== undefined)
  const chosen = configured.find(({ name }) => name === settings.PAYMENT_PROVIDER)
  if (!chosen) throw new Error('The payment provider is not configured.')
  return [chosen, ...configured.filter((provider) => provider !== chosen)]
}

/** Speaks Snippe's API under a name of its own, so that play money is never mistaken for real. */
function simulated(
  simulator: SimulatedProvider | undefined,
  callbackUrl: (provider: string) => string,
): PaymentProvider | undefined {
  if (!simulator) return undefined
  const { url: baseUrl, apiKey, webhookSecret } = simulator
  const name = 'simulator'
  return snippe({
    name,
    baseUrl,
    apiKey,
    webhookSecret,
    callbackUrl: () => callbackUrl(name),
    fallbackEmail: undefined,
  })
}
