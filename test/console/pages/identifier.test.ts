import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readIdentifier } from '../../../console/src/pages/sign-in/identifier.ts'

test('phone numbers as people write them are Tanzanian unless they say otherwise', () => {
  for (const text of [
    '0712345678',
    '0712 345 678',
    '+255 712 345 678',
    '255712345678',
    '712345678',
    '00255712345678',
    ' (0712) 345-678 ',
  ]) {
    assert.deepEqual(readIdentifier(text), { phone_number: '+255712345678' }, text)
  }
  assert.deepEqual(readIdentifier('+254 712 345678'), { phone_number: '+254712345678' })
})

test('an email address stays as it is; what is neither is refused', () => {
  assert.deepEqual(readIdentifier(' asha@mfano.co.tz '), { email: 'asha@mfano.co.tz' })
  for (const text of ['', 'asha', 'asha@', '0712', '12345', '+', '@mfano.co.tz']) {
    assert.equal(readIdentifier(text), undefined, text)
  }
})
