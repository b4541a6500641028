import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../src/lib/failure.ts'
import { parseRequestJson } from '../../src/lib/json.ts'

const LONG = Buffer.alloc(2 * 1024 * 1024, 'UklGRg').toString('base64')

/** What is parsed around a long string is what is parsed whole. */
const bodies: [string, string][] = [
  ['a member', `{"model":"m","input_audio":{"data":"${LONG}","format":"wav"},"x":[1,{"y":"é"}]}`],
  ['an item', `{"list":["a","${LONG}","b"]}`],
  ['a key', `{"${LONG}":1}`],
  ['the body itself', `"${LONG}"`],
  ['twice', `{"a":"${LONG}","b":"${LONG}"}`],
  ['twice by one name', `{"a":"${LONG}","a":"b"}`],
  ['with an escape', `{"a":"${LONG}\\n\\u00e9"}`],
  ['not ASCII', `{"a":"${LONG}é"}`],
  ['after a byte order mark', `\ufeff{"a":"${LONG}"}`],
]
for (const [name, text] of bodies) {
  test(`a long string as ${name}`, () => {
    const value = parseRequestJson(Buffer.from(text), { stored: false })
    assert.deepEqual(value, JSON.parse(text.replace(/^\ufeff/, '')))
  })
}

const broken: [string, string][] = [
  ['a raw line break in it', `{"a":"${LONG}\n"}`],
  ['no end', `{"a":"${LONG}`],
  ['something after it', `{"a":"${LONG}" x}`],
  ['nothing closed', `{"a":"${LONG}"`],
]
for (const [name, text] of broken) {
  test(`refused: ${name}`, () => {
    assert.throws(() => parseRequestJson(Buffer.from(text), { stored: false }), Failure)
  })
}

test('a key that would reach the prototype is refused, long or not', () => {
  const text = `{"__proto__":"${LONG}"}`
  assert.throws(() => parseRequestJson(Buffer.from(text), { stored: false }), /__proto__/)
})
