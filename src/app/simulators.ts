import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import type { SimulatedProvider } from '../payments/providers.ts'

/** Where the stand-ins for the outside world answer, and with which keys. */
export type SimulatorAddresses = {
  models?: { url: string; apiKey: string } | undefined
  money?: SimulatedProvider | undefined
}

export type Simulators = { addresses: SimulatorAddresses; close(): Promise<void> }

/** Starts a stand-in for each provider that is not configured: one for all workers. */
export async function startSimulators(
  config: Config,
  masterKey: string,
  options: { resumePayments: boolean },
): Promise<Simulators> {
  const models = config.UPSTREAMS_FILE === undefined ? await startModels() : undefined
  const money =
    config.PAYMENT_PROVIDER === 'simulator'
      ? await startMoney({ masterKey, dataDir: config.DATA_DIR, ...options })
      : undefined
  return {
    addresses: {
      models: models && { url: models.url, apiKey: models.apiKey },
      money: money && {
        url: money.url,
        apiKey: money.apiKey,
        webhookSecret: money.webhookSecret,
      },
    },
    close: async () => void (await Promise.all([models?.close(), money?.close()])),
  }
}

// Imported on demand: a real deployment never loads them.

async function startModels() {
  const { startModelSimulator } = await import('../../simulator/models/server.ts')
  return startModelSimulator({
    apiKey: randomBytes(24).toString('base64url'),
    latency: { firstMs: 150, pieceMs: 25, videoMs: 8_000 },
  })
}

async function startMoney(options: {
  masterKey: string
  dataDir: string
  resumePayments: boolean
}) {
  const { startLocalMoney } = await import('../../simulator/money/local.ts')
  return startLocalMoney(options)
}
