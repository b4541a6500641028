import { readFile } from 'node:fs/promises'
import { ConfigError, type Config } from '../config.ts'
import type { PaymentProvider } from '../payments/provider.ts'
import { openPaymentProviders } from '../payments/providers.ts'
import type { SimulatorAddresses } from './simulators.ts'
import { readUpstreams, type UpstreamConfig } from '../upstream/upstreams-file.ts'

/** Model and payment providers: real where they are configured, simulated where they are not. */
export type Providers = {
  upstreams: UpstreamConfig[]
  /** The first takes new payments. */
  payments: [PaymentProvider, ...PaymentProvider[]]
  simulated: { upstreams: boolean; payments: boolean }
}

export async function openProviders(options: {
  config: Config
  /** Holds the keys that UPSTREAMS_FILE names. */
  env: Record<string, string | undefined>
  simulators: SimulatorAddresses
  /** Called late: the port may be known only once we listen. */
  callbackBase: () => string
}): Promise<Providers> {
  const { config, env, simulators, callbackBase } = options
  return {
    upstreams:
      config.UPSTREAMS_FILE === undefined
        ? simulatedUpstreams(simulators.models)
        : await readUpstreamsFile(config.UPSTREAMS_FILE, config, env),
    payments: openPaymentProviders(config, {
      publicUrl: callbackBase,
      simulator: simulators.money,
    }),
    simulated: {
      upstreams: config.UPSTREAMS_FILE === undefined,
      payments: config.PAYMENT_PROVIDER === 'simulator',
    },
  }
}

export async function readUpstreamsFile(
  file: string,
  config: Pick<Config, 'ALLOW_PLAINTEXT_HOSTS'>,
  env: Record<string, string | undefined>,
): Promise<UpstreamConfig[]> {
  try {
    const json: unknown = JSON.parse(await readFile(file, 'utf8'))
    return readUpstreams(json, env, config.ALLOW_PLAINTEXT_HOSTS)
  } catch (error) {
    throw new ConfigError([`UPSTREAMS_FILE: ${(error as Error).message}`])
  }
}

function simulatedUpstreams(models: SimulatorAddresses['models']): UpstreamConfig[] {
  if (models === undefined) throw new Error('The simulated models were not started.')
  const simulator = { name: 'simulator', type: 'openrouter', base_url: models.url }
  return readUpstreams(
    { upstreams: [{ ...simulator, api_key_env: 'KEY' }] },
    { KEY: models.apiKey },
  )
}
