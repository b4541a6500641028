import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { it } from 'node:test'
import { guardedLookup, reachOf, type Reach } from '../../src/webhooks/address.ts'
import { openWebhookSender } from '../../src/webhooks/sender.ts'
import { startReceiver } from '../support/peers/receiver.ts'

const PUBLIC = reachOf({})
const OWN_NETWORKS = ['127.0.0.0/8', 'fd00:1::/32']
const OWN = reachOf({ WEBHOOK_ALLOW_NETWORKS: OWN_NETWORKS })
/** To this peer too, which has a port of its own. */
const ownWith = ({ port }: { port: number }) =>
  reachOf({ WEBHOOK_ALLOW_NETWORKS: OWN_NETWORKS, WEBHOOK_ALLOW_PORTS: [port] })

/** What nobody has on the Internet: one of each of IANA's special-purpose ranges, and their edges. */
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
  '192.0.0.170',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.175.48.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '239.255.255.255',
  '240.0.0.1',
  '::1',
  '::',
  '::7f00:1',
  '100::1',
  '1fff:ffff::1',
  '2001:1::1',
  '2001:db8::1',
  '2620:4f:8000::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  '64:ff9b:1::a00:1',
  'fec0::1',
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
  for (const address of ['196.41.0.1', '8.8.8.8', '192.0.1.1', '2a00:1450::1', '2c0f:f248::1']) {
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
  assert.equal(PUBLIC.whyNot('https://example.com:443/a?b=c'), undefined)
  assert.equal(OWN.whyNot('http://127.0.0.1:80/x'), undefined)
  assert.equal(OWN.whyNot('https://example.com/'), undefined)
  for (const url of [
    'http://8.8.8.8/',
    'https://10.0.0.1/',
    'ftp://127.0.0.1/',
    'https://a:b@x.org',
  ])
    assert.ok(OWN.whyNot(url), url)
})

it('leads to the ports of the web, and to those of a setting', async (t) => {
  const some = reachOf({ WEBHOOK_ALLOW_PORTS: [8443] })
  assert.equal(some.whyNot('https://example.com:8443/'), undefined)
  assert.equal(some.whyNot('https://example.com/'), undefined)
  for (const [reach, url] of [
    [some, 'https://example.com:6379/'],
    [PUBLIC, 'https://example.com:8443/'],
    [PUBLIC, 'https://example.com:80/'],
    [OWN, 'http://127.0.0.1:443/'],
    [OWN, 'http://127.0.0.1:6379/'],
  ] as const) {
    assert.match(reach.whyNot(url)!, /^must be on port 443/, url)
  }
  // Also when the setting was another when the endpoint was added.
  const receiver = await startReceiver()
  const sender = openWebhookSender(OWN)
  t.after(() => Promise.all([sender.close(), receiver.close()]))
  assert.deepEqual(await sender.post(receiver.url, {}, '{}'), { error: 'port_not_allowed' })
  assert.equal(receiver.received.length, 0)
})

it('hears how long to wait, and believes at most a day', async (t) => {
  const receiver = await startReceiver()
  const sender = openWebhookSender(ownWith(receiver))
  t.after(() => Promise.all([sender.close(), receiver.close()]))
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toUTCString()
  for (const [said, retryAfterMs] of [
    ['120', 120_000],
    ['99999999', 86_400_000],
    [inAWeek, 86_400_000],
    ['0', undefined],
    ['-5', undefined],
    ['soon', undefined],
    [new Date(0).toUTCString(), undefined],
  ] as const) {
    receiver.answer = (_, response) => response.writeHead(503, { 'retry-after': said }).end()
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
    assert.deepEqual(await sender.post(receiver.url, {}, '{}'), { status: 503, ...wait }, said)
  }
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
  const strict = openWebhookSender(reachOf({ WEBHOOK_ALLOW_PORTS: [receiver.port] }))
  const own = openWebhookSender(ownWith(receiver))
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
  const sender = openWebhookSender(ownWith(receiver), 300)
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
