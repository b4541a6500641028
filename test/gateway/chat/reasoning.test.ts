import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carriedDetails, carrierOf, isCarrier } from '../../../src/gateway/chat/reasoning.ts'

const details = [{ type: 'reasoning.text', text: 'é\u0000', signature: 's', index: 0 }]

test('what is carried comes back for the same model, and for no other', () => {
  const carrier = carrierOf('a/b', details)
  assert.match(carrier, /^mlg1\.[\w-]+$/)
  assert.deepEqual(carriedDetails(carrier, 'a/b'), details)
  assert.deepEqual(carriedDetails(carrier, 'a/c'), [])
})

test('even a reasoning with nothing to carry is known as ours', () => {
  const carrier = carrierOf('a/b', [])
  assert.equal(isCarrier(carrier), true)
  assert.deepEqual(carriedDetails(carrier, 'a/b'), [])
  for (const foreign of ['EqQBCkgIARAB', '', undefined, 1]) assert.equal(isCarrier(foreign), false)
})

test('whatever else bears the mark carries nothing', () => {
  const written = (value: unknown) =>
    `mlg1.${Buffer.from(JSON.stringify(value)).toString('base64url')}`
  const deep = `mlg1.${Buffer.from(`["a/b",${'['.repeat(90_000)}`).toString('base64url')}`
  const cut = carrierOf('a/b', details).slice(0, -9)
  const others = [written({ model: 'a/b' }), written(['a/b']), written(['a/b', [1, null, 'x', []]])]
  for (const text of ['mlg1.', 'mlg1.%%%', cut, deep, ...others]) {
    assert.deepEqual(carriedDetails(text, 'a/b'), [])
  }
})
