import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MoneySimulator } from '../../simulator/money/server.ts'
import { startMoneySimulator } from '../../simulator/money/server.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { checksumOf, clickpesa } from '../../src/payments/clickpesa.ts'
import type { NewOrder, PaymentProvider } from '../../src/payments/provider.ts'
import { snippe } from '../../src/payments/snippe.ts'
import { newReference } from '../../src/payments/topup.ts'
import { eventually } from '../support/eventually.ts'

const KEYS = {
  snippe: { apiKey: 'snp_test', webhookSecret: 'whsec_test' },
  clickpesa: { clientId: 'IDtest', apiKey: 'SKtest', checksumKey: 'CHKtest' },
}
const create = (provider: PaymentProvider, order: NewOrder) =>
  provider.create(order, provider.createBody(order))
const order = (suffix: string, amountTzs = 5000): NewOrder => ({
  id: uuidv7(),
  reference: newReference(),
  providerRef: undefined,
  amountTzs,
  currency: 'TZS',
  phoneNumber: `+25575412${suffix}`,
  payerName: 'Asha Juma',
  payerEmail: undefined,
})

let simulator: MoneySimulator
before(async () => {
  simulator = await startMoneySimulator({ ...KEYS, delays: { fastMs: 30, normalMs: 60 } })
})
after(() => simulator.close())

/** Impatient only where an answer is lost. */
type Open = (timeoutMs?: number) => PaymentProvider
const providers: Record<string, Open> = {
  snippe: (timeoutMs = 60_000) =>
    snippe({
      baseUrl: simulator.url,
      ...KEYS.snippe,
      callbackUrl: () => 'http://127.0.0.1:9/none',
      fallbackEmail: 'pay@example.tz',
      timeoutMs,
    }),
  clickpesa: (timeoutMs = 60_000) =>
    clickpesa({ baseUrl: simulator.url, ...KEYS.clickpesa, timeoutMs }),
}

/** What the provider says after the create, when asked until it has made up its mind. */
async function outcome(provider: PaymentProvider, sent: NewOrder) {
  let known = sent
  for (let i = 0; i < 50; i++) {
    const created = known.providerRef === undefined && provider.name === 'snippe'
    const seen = created ? await recreate(provider, known) : await provider.status(known)
    if ('providerRef' in seen && seen.providerRef)
      known = { ...known, providerRef: seen.providerRef }
    if (seen.status === 'completed' || seen.status === 'failed') return seen
    await sleep(10)
  }
  throw new Error('never resolved')
}

async function recreate(provider: PaymentProvider, sent: NewOrder) {
  const created = await create(provider, sent)
  assert(created.kind === 'accepted', JSON.stringify(created))
  return created.observation
}

for (const [name, open] of Object.entries(providers)) {
  describe(name, () => {
    const pushes = (sent: NewOrder) => {
      const payment = simulator.control.find(sent.reference)
      return simulator.control.log.filter(
        (line) => line.kind === 'push' && line.reference === payment?.reference,
      ).length
    }

    test('accepts, then completes with amount and currency', async () => {
      const provider = open()
      const sent = order('1234')
      const created = await create(provider, sent)
      assert(created.kind === 'accepted')
      assert.equal(created.observation.status, 'pending')
      const seen = await outcome(provider, sent)
      assert.equal(seen.status, 'completed')
      assert.equal(seen.amountTzs, 5000)
      assert.equal(seen.currency, 'TZS')
    })

    test('the same order again does not ask the payer twice', async () => {
      const provider = open()
      const sent = order('0015')
      const first = await create(provider, sent)
      const second = await create(provider, sent)
      assert.equal(first.kind, 'accepted')
      assert.equal(second.kind, 'accepted')
      assert.equal(pushes(sent), 1)
    })

    test('a create whose answer was lost is found again by reference', async () => {
      for (const suffix of ['0009', '0010']) {
        const provider = open()
        const sent = order(suffix)
        assert.equal((await create(open(500), sent)).kind, 'unknown')
        assert.equal((await create(provider, sent)).kind, 'accepted')
        assert.equal((await outcome(provider, sent)).status, 'completed')
        assert.equal(pushes(sent), 1)
      }
    })

    test('without their reference the status query still finds it', async () => {
      const provider = open()
      const sent = order('0009')
      await create(open(500), sent)
      await eventually(
        'it is found, and completed',
        async () => (await provider.status(sent)).status === 'completed',
      )
    })

    test('failures are given our own codes', async () => {
      const provider = open()
      const poor = order('0002')
      await create(provider, poor)
      assert.equal((await outcome(provider, poor)).failure, 'insufficient_funds')
      const unwilling = order('0003')
      await create(provider, unwilling)
      assert.equal((await outcome(provider, unwilling)).failure, 'cancelled_by_payer')
    })

    test('a refusal is not confused with an outage', async () => {
      const provider = open()
      assert.deepEqual(await create(provider, order('0017')), {
        kind: 'refused',
        code: 'invalid_number',
      })
      const limited = order('0014')
      assert.equal((await create(provider, limited)).kind, 'unknown')
      assert.equal((await create(provider, limited)).kind, 'accepted')
    })

    test('an unknown payment is not found; an outage is not an answer', async () => {
      const provider = open()
      const sent = { ...order('1234'), providerRef: uuidv7() }
      assert.equal((await provider.status(sent)).status, 'not_found')
      simulator.control.outage(503)
      assert.equal((await provider.status(sent)).status, 'unreachable')
      assert.equal((await create(provider, sent)).kind, 'unknown')
      simulator.control.outage(undefined)
    })
  })
}

describe('answers that cannot be trusted', () => {
  const answers: [string, number, string][] = [
    ['garbage', 200, '<html>'],
    ['nothing', 200, ''],
    ['another shape', 200, '{"data":{"status":"excellent"}}'],
    ['another type', 200, '[[[[1]]]]'],
    ['a redirect', 302, ''],
    ['a flood', 200, `"${'x'.repeat(300_000)}"`],
  ]
  for (const [name, status, text] of answers) {
    test(name, async () => {
      const server = createServer((_request, response) => {
        response.writeHead(status, { location: simulator.url }).end(text)
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const callbackUrl = () => 'http://127.0.0.1:9/'
      const broken = [
        snippe({ baseUrl, ...KEYS.snippe, callbackUrl, fallbackEmail: 'a@b.tz' }),
        clickpesa({ baseUrl, ...KEYS.clickpesa }),
      ]
      for (const provider of broken) {
        const sent = { ...order('1234'), providerRef: uuidv7() }
        assert.equal((await create(provider, sent)).kind, 'unknown')
        assert.equal((await provider.status(sent)).status, 'unreachable')
      }
      server.closeAllConnections()
      server.close()
    })
  }
})

describe('callbacks are authenticated', () => {
  const now = new Date(1_769_303_117_000)
  const body = '{"id":"evt_01","type":"payment.completed"}'
  const signed = (secret: string, stamp: number, text = body) => ({
    'x-webhook-timestamp': String(stamp),
    'x-webhook-signature': createHmac('sha256', secret).update(`${stamp}.${text}`).digest('hex'),
  })
  const stamp = 1_769_303_117
  const reason = (headers: Record<string, string>, text = body) => {
    const read = providers.snippe!().readCallback(Buffer.from(text), headers, now)
    return read.authentic ? 'authentic' : read.reason
  }

  test('a known signature', () => {
    const known = 'f8a100342114393f6275ca14566c74e0f8361b07a1dbd9409c9db5dfbe376d92'
    assert.equal(signed('whsec_test', stamp)['x-webhook-signature'], known)
  })

  test('every way to be refused', () => {
    const full = JSON.stringify({ data: { reference: 'r', amount: { value: 1, currency: 'TZS' } } })
    assert.equal(reason(signed('whsec_test', stamp, full), full), 'authentic')
    assert.equal(reason({}), 'signature_missing')
    assert.equal(
      reason({ ...signed('whsec_test', stamp), 'x-webhook-timestamp': '' }),
      'timestamp_missing',
    )
    assert.equal(reason(signed('other', stamp)), 'signature_wrong')
    assert.equal(reason(signed('', stamp)), 'signature_wrong')
    assert.equal(reason(signed('whsec_test', stamp), `${body} `), 'signature_wrong')
    assert.equal(reason(signed('whsec_test', stamp - 301)), 'timestamp_stale')
    assert.equal(reason(signed('whsec_test', stamp + 301)), 'timestamp_future')
    assert.equal(reason(signed('whsec_test', stamp)), 'malformed')
    assert.equal(reason(signed('whsec_test', stamp, 'no json'), 'no json'), 'malformed')
  })

  test('a checksum inside the body, whatever the order of its members', () => {
    const provider = providers.clickpesa!()
    const data = { status: 'SUCCESS', orderReference: 'R', updatedAt: now.toISOString() }
    const event = { event: 'PAYMENT RECEIVED', data: { ...data, collectedAmount: '5000' } }
    const read = (value: unknown) => {
      const got = provider.readCallback(Buffer.from(JSON.stringify(value)), {}, now)
      return got.authentic ? got.hint.amountTzs : got.reason
    }
    const checksum = checksumOf(KEYS.clickpesa.checksumKey, event)
    assert.equal(read({ checksum, data: event.data, event: event.event }), 5000)
    assert.equal(read(event), 'signature_missing')
    assert.equal(read({ ...event, checksum: 'x' }), 'signature_wrong')
    const more = { ...event, data: { ...event.data, collectedAmount: '9000' } }
    assert.equal(read({ ...more, checksum }), 'signature_wrong')
    const old = { ...event, data: { ...data, updatedAt: new Date(0).toISOString() } }
    const oldSum = checksumOf(KEYS.clickpesa.checksumKey, old)
    assert.equal(read({ ...old, checksum: oldSum }), 'timestamp_stale')
    const nested = provider.readCallback(Buffer.from(`{"a":${'['.repeat(5000)}`), {}, now)
    assert.deepEqual(nested, { authentic: false, reason: 'malformed' })
    const deep = `{"checksum":"x","a":${'['.repeat(99)}${']'.repeat(99)}}`
    const read99 = provider.readCallback(Buffer.from(deep), {}, now)
    assert.deepEqual(read99, { authentic: false, reason: 'malformed' })
  })

  test('an empty key signs nothing', () => {
    const options = {
      baseUrl: 'http://127.0.0.1:9',
      callbackUrl: () => '',
      fallbackEmail: 'a@b.tz',
    }
    assert.throws(() => snippe({ ...options, apiKey: 'k', webhookSecret: '' }))
    assert.throws(() => clickpesa({ ...options, clientId: 'c', apiKey: 'k', checksumKey: '' }))
  })
})
