import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startMoneySimulator } from '../../simulator/money/server.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import type { NewOrder, PaymentProvider } from '../../src/payments/provider.ts'
import { newReference } from '../../src/payments/topup.ts'
import { snippe } from '../../src/payments/snippe.ts'
import { eventually } from '../support/eventually.ts'

const folder = mkdtempSync(join(tmpdir(), 'mlango-money-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const keys = {
  snippe: { apiKey: 'snp_test', webhookSecret: 'whsec_test' },
  clickpesa: { clientId: 'c', apiKey: 'k', checksumKey: 's' },
}
const start = (normalMs: number) =>
  startMoneySimulator({ ...keys, file: join(folder, 'deep/money.jsonl'), delays: { normalMs } })
const portTo = (baseUrl: string, apiKey = keys.snippe.apiKey) =>
  snippe({
    baseUrl,
    apiKey,
    webhookSecret: 'whsec_test',
    callbackUrl: () => 'http://127.0.0.1:9/',
    fallbackEmail: 'a@b.tz',
  })
const create = (port: PaymentProvider, order: NewOrder) =>
  port.create(order, port.createBody(order))
const order = {
  id: uuidv7(),
  reference: newReference(),
  providerRef: undefined,
  amountTzs: 5000,
  currency: 'TZS',
  phoneNumber: '+255754123456',
  payerName: 'Asha',
  payerEmail: undefined,
}

test('pending payments continue after a restart, and two simulators share their payments', async () => {
  const first = await start(60_000)
  const created = await create(portTo(first.url), order)
  assert.equal(created.kind, 'accepted')
  const second = await start(60_000)
  assert.equal((await portTo(second.url).status(order)).status, 'pending')
  first.control.settle(order.reference, 'completed')
  assert.equal((await portTo(second.url).status(order)).status, 'completed')
  const late = { ...order, id: uuidv7(), reference: newReference() }
  await create(portTo(first.url), late)
  await first.close()
  await second.close()
  const third = await start(1)
  await eventually('it is settled', async () => {
    return (await portTo(third.url).status(late)).status === 'completed'
  })
  assert.equal(third.control.payments().length, 2)
  await third.close()
})

test('a wrong key is refused', async () => {
  const simulator = await start(1)
  const port = portTo(simulator.url, 'snp_other')
  assert.equal((await create(port, { ...order, reference: newReference() })).kind, 'unknown')
  assert.deepEqual(await port.status(order), { status: 'unreachable', reason: 'status_401' })
  await simulator.close()
})
