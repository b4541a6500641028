import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ConfigError, type Config } from './config.ts'
import type { PaymentProvider } from './payments/provider.ts'
import { openProviders } from './payments/providers.ts'
import { readUpstreams, type UpstreamConfig } from './upstream/upstreams-file.ts'

/** Model and payment providers: real where they are configured, simulated where they are not. */
export type External = {
  upstreams: UpstreamConfig[]
  /** The first takes new payments. */
  payments: [PaymentProvider, ...PaymentProvider[]]
  simulated: { upstreams: boolean; payments: boolean }
  close(): Promise<void>
}

/** `callbackBase` is called late: the port may be known only once we listen. */
export async function openExternal(
  config: Config,
  env: Record<string, string | undefined>,
  callbackBase: () => string,
): Promise<External> {
  const closers: (() => Promise<void>)[] = []
  const upstreams =
    config.UPSTREAMS_FILE === undefined
      ? await simulatedUpstreams(closers)
      : await upstreamsOf(config.UPSTREAMS_FILE, env)
  const money =
    config.PAYMENT_PROVIDER === 'simulator' ? await simulatedMoney(config, closers) : undefined
  const payments = openProviders(config, { publicUrl: callbackBase, simulator: money })
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

async function upstreamsOf(
  file: string,
  env: Record<string, string | undefined>,
): Promise<UpstreamConfig[]> {
  try {
    return readUpstreams(JSON.parse(await readFile(file, 'utf8')), env)
  } catch (error) {
    throw new ConfigError([`UPSTREAMS_FILE: ${(error as Error).message}`])
  }
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

async function simulatedMoney(config: Config, closers: (() => Promise<void>)[]) {
  const { startLocalMoney } = await import('../simulator/money/local.ts')
  // Replicas share a master key, and with it the simulator's: each takes the other's callbacks.
  const masterKey = config.MASTER_KEY ?? randomBytes(24).toString('base64url')
  const simulator = await startLocalMoney({ masterKey, dataDir: config.DATA_DIR })
  closers.push(() => simulator.close())
  return simulator
}
