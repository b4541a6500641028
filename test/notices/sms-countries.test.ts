import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCountries, reaches, smsCountries } from '../../src/notices/sms-countries.ts'

const beem = { SMS_PROVIDER: 'beem' }

test('everywhere while messages are files; six countries once they have a price', () => {
  assert.equal(smsCountries({}), undefined)
  assert.deepEqual([...smsCountries(beem)!], ['TZ', 'KE', 'UG', 'RW', 'BI', 'CD'])
  assert.deepEqual([...smsCountries({ SMS_COUNTRIES: ['TZ'] })!], ['TZ'])
  assert.equal(smsCountries({ ...beem, SMS_COUNTRIES: '*' }), undefined)
})

test('a list is * or codes of countries', () => {
  assert.equal(readCountries(' * '), '*')
  assert.deepEqual(readCountries('tz, KE,'), ['TZ', 'KE'])
  for (const text of ['', ',', 'UK', 'TZ,XX', '255', 'TZ KE', '*,TZ']) {
    assert.equal(readCountries(text), undefined, text)
  }
})

test('a number is in the country of its calling code, and of what follows where that is shared', () => {
  const only = (code: string) => new Set([code])
  const numbers: [string, string, string][] = [
    ['+255712345678', 'TZ', 'KE'],
    ['+243812345678', 'CD', 'TZ'],
    ['+12025550123', 'US', 'CA'],
    ['+18765551234', 'JM', 'US'],
    ['+447400123456', 'GB', 'JE'],
    ['+447797712345', 'JE', 'GB'],
    ['+77012345678', 'KZ', 'RU'],
  ]
  for (const [phone, inside, outside] of numbers) {
    assert.equal(reaches(only(inside), phone), true, phone)
    assert.equal(reaches(only(outside), phone), false, phone)
    assert.equal(reaches(undefined, phone), true, phone)
  }
  assert.equal(reaches(only('TZ'), '+881612345678'), false)
  assert.equal(reaches(only('TZ'), 'no number'), false)
})
