import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inNetworks, isNetwork, networkOf, shownNetwork } from '../../src/lib/network.ts'

const BITS = { v4: 24, v6: 48 }

test('addresses of one network are one, however they are written', () => {
  for (const [one, other] of [
    ['10.1.2.3', '10.1.2.250'],
    ['10.1.2.3', '::ffff:10.1.2.9'],
    ['2001:db8:1:2::1', '2001:db8:1:ffff:1:2:3:4'],
    ['2001:DB8:1::', '2001:0db8:0001:0000:0000:0000:0000:0001'],
    ['fe80::1%eth0', 'fe80::2'],
    ['64:ff9b::10.1.2.3', '64:ff9b::'],
  ] as const) {
    assert.equal(networkOf(one, BITS), networkOf(other, BITS), `${one} ${other}`)
  }
})

test('addresses of two networks are two', () => {
  const addresses = ['10.1.2.3', '10.1.3.3', '11.1.2.3', '2001:db8:1::', '2001:db8:2::', '::', 'x']
  const networks = new Set(addresses.map((address) => networkOf(address, BITS)))
  assert.equal(networks.size, addresses.length)
})

test('an owner sees the network of an address, not the address', () => {
  for (const [address, shown] of [
    ['196.41.12.7', '196.41.12.x'],
    ['::ffff:196.41.12.7', '196.41.12.x'],
    ['2001:DB8:1:2::7', '2001:db8:1:x'],
    ['::1', '0:0:0:x'],
    ['fe80::1%eth0', 'fe80:0:0:x'],
    ['999.1.1.1', undefined],
    ['somewhere', undefined],
  ] as const) {
    assert.equal(shownNetwork(address), shown, address)
  }
})

test('the number of bits decides', () => {
  assert.notEqual(
    networkOf('10.1.2.3', { v4: 32, v6: 64 }),
    networkOf('10.1.2.4', { v4: 32, v6: 64 }),
  )
  assert.equal(networkOf('10.1.2.3', { v4: 20, v6: 64 }), networkOf('10.1.8.3', { v4: 20, v6: 64 }))
  assert.notEqual(
    networkOf('10.1.2.3', { v4: 20, v6: 64 }),
    networkOf('10.1.16.3', { v4: 20, v6: 64 }),
  )
})

test('what a setting may name as a network', () => {
  for (const text of ['10.0.0.0/8', '10.1.2.3', '2001:db8::/32', '::1', '0.0.0.0/0', '::/128']) {
    assert.ok(isNetwork(text), text)
  }
  for (const text of [
    '',
    'x',
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
  ]) {
    assert.ok(!isNetwork(text), text)
  }
})

test('an address is in a network however it is written', () => {
  const inside = inNetworks(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32'])
  for (const address of [
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '192.0.2.7',
    '2001:db8:1::',
    '2001:db8::1%eth0',
  ]) {
    assert.ok(inside(address), address)
  }
  for (const address of ['10.2.0.1', '192.0.2.8', '2001:db9::', '::ffff:10.2.0.1', '', 'x']) {
    assert.ok(!inside(address), address)
  }
})
