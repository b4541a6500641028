import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { MoneySimulator } from './server.ts'
import { startMoneySimulator } from './server.ts'

/**
 * The mobile-money provider of `npm start`. Its keys are derived from the master key and its
 * payments are kept in the data folder: a top-up continues after a restart. An operator's command
 * reads them there and leaves going on with them to the service.
 */
export async function startLocalMoney(options: {
  masterKey: string
  dataDir: string
  resumePayments: boolean
}): Promise<MoneySimulator & { apiKey: string; webhookSecret: string }> {
  const keyFor = (use: string) =>
    createHmac('sha256', options.masterKey).update(`money simulator ${use}`).digest('hex')
  const snippe = { apiKey: keyFor('api key'), webhookSecret: keyFor('webhook secret') }
  const clickpesa = {
    clientId: keyFor('client id'),
    apiKey: keyFor('client key'),
    checksumKey: keyFor('checksum key'),
  }
  const file = join(options.dataDir, 'simulated-money.jsonl')
  const { resumePayments } = options
  return { ...(await startMoneySimulator({ snippe, clickpesa, file, resumePayments })), ...snippe }
}
