import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../../src/lib/network.ts'

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
