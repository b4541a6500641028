import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { MoneySimulator } from './money.ts'
import { startMoneySimulator } from './money.ts'

/**
 * The provider of `npm start`. Its keys follow from the master key and its payments are kept in the
 * data folder, so that a top-up goes on after a restart, and every worker sees the same ones.
 */
export async function startLocalMoney(given: {
  masterKey: string
  dataDir: string
}): Promise<MoneySimulator & { apiKey: string; webhookSecret: string }> {
  const keyFor = (use: string) =>
    createHmac('sha256', given.masterKey).update(`money simulator ${use}`).digest('hex')
  const snippe = { apiKey: keyFor('api key'), webhookSecret: keyFor('webhook secret') }
  const clickpesa = {
    clientId: keyFor('client id'),
    apiKey: keyFor('client key'),
    checksumKey: keyFor('checksum key'),
  }
  const file = join(given.dataDir, 'simulated-money.jsonl')
  return { ...(await startMoneySimulator({ snippe, clickpesa, file })), ...snippe }
}
