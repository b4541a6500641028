import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { it } from 'node:test'
import { guardedLookup, reachOf, type Reach } from '../../src/webhooks/address.ts'
import { openWebhookSender } from '../../src/webhooks/sender.ts'
import { startReceiver } from '../support/peers/receiver.ts'

const PUBLIC = reachOf(undefined)
const OWN = reachOf(['127.0.0.0/8', 'fd00:1::/32'])

const PRIVATE = [
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'fd00::1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '2001:0:a00:1::',
  'ff02::1',
  'no address',
]

it('allows public addresses over TLS, and no others', () => {
  for (const address of PRIVATE) {
    assert.equal(PUBLIC.allows(address, 'https:'), false, address)
    assert.equal(PUBLIC.allows(address, 'http:'), false, address)
  }
  for (const address of ['196.41.0.1', '8.8.8.8', '2a00:1450::1']) {
    assert.equal(PUBLIC.allows(address, 'https:'), true, address)
    assert.equal(PUBLIC.allows(address, 'http:'), false, address)
  }
})

it('allows the own networks of a setting, also without TLS, and only those', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', 'fd00:1::5']) {
    assert.equal(OWN.allows(address, 'https:'), true, address)
    assert.equal(OWN.allows(address, 'http:'), true, address)
  }
  for (const address of ['10.1.2.3', '169.254.169.254', 'fd00:2::1'])
    assert.equal(OWN.allows(address, 'https:'), false, address)
  assert.equal(OWN.allows('8.8.8.8', 'http:'), false)
})

it('says of a URL why it may not be used', () => {
  const bad = [
    'http://example.com/x',
    'https://user:pass@example.com/',
    'https://localhost/',
    'https://printer/',
    'https://db.internal/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'ftp://example.com/',
    'nonsense',
  ]
  for (const url of bad) assert.ok(PUBLIC.whyNot(url), url)
  assert.equal(PUBLIC.whyNot('https://example.com:8443/a?b=c'), undefined)
  assert.equal(OWN.whyNot('http://127.0.0.1:9000/x'), undefined)
  assert.equal(OWN.whyNot('https://example.com/'), undefined)
  for (const url of [
    'http://8.8.8.8/',
    'https://10.0.0.1/',
    'ftp://127.0.0.1/',
    'https://a:b@x.org',
  ])
    assert.ok(OWN.whyNot(url), url)
})

it('connects to what it has checked: a name that means a private address leads nowhere', async () => {
  const look = (reach: Reach, all: boolean) =>
    new Promise<string | LookupAddress[]>((done, fail) => {
      guardedLookup(reach, 'http:')('localhost', { all }, (error, address) =>
        error ? fail(error) : done(address),
      )
    })
  await assert.rejects(look(PUBLIC, true), { code: 'address_not_allowed' })
  await assert.rejects(look(PUBLIC, false), { code: 'address_not_allowed' })
  assert.equal(await look(OWN, false), '127.0.0.1')
  const found = (await look(OWN, true)) as LookupAddress[]
  assert.ok(found.every(({ address }) => address.startsWith('127.')))
})

it('sends nothing to a private address, by number or by name, however it is written', async (t) => {
  const receiver = await startReceiver()
  const [strict, own] = [openWebhookSender(PUBLIC), openWebhookSender(OWN)]
  t.after(() => Promise.all([strict.close(), own.close(), receiver.close()]))
  const { port } = receiver
  const hosts = ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]', '[::1]']
  for (const host of hosts) {
    for (const protocol of ['http', 'https']) {
      const posted = await strict.post(`${protocol}://${host}:${port}/`, {}, '{}')
      assert.deepEqual(posted, { error: 'address_not_allowed' }, `${protocol} ${host}`)
    }
  }
  assert.equal(receiver.received.length, 0)
  for (const host of ['127.0.0.1', 'localhost'])
    assert.deepEqual(await own.post(`http://${host}:${port}/`, {}, '{}'), { status: 204 })
  assert.equal(receiver.received.length, 2)
})

it('follows no redirect, reads no long answer, and waits for no slow one', async (t) => {
  const receiver = await startReceiver()
  const elsewhere = await startReceiver()
  const sender = openWebhookSender(OWN, 300)
  t.after(() => Promise.all([sender.close(), receiver.close(), elsewhere.close()]))
  receiver.answer = (_, response) => response.writeHead(307, { location: elsewhere.url }).end()
  assert.deepEqual(await sender.post(receiver.url, {}, '{}'), { status: 307 })
  assert.equal(elsewhere.received.length, 0)
  // It goes on writing for ever; the status is enough.
  receiver.answer = (_, response) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more).on('error', () => {})
    more()
  }
  assert.deepEqual(await sender.post(receiver.url, {}, '{}'), { status: 200 })
  receiver.answer = () => {}
  assert.deepEqual(await sender.post(receiver.url, {}, '{}'), { error: 'timeout' })
  receiver.answer = (_, response) => response.destroy()
  assert.ok('error' in (await sender.post(receiver.url, {}, '{}')))
})
