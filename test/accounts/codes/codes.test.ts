import assert from 'node:assert/strict'
import { it } from 'node:test'
import { checkChannel } from '../../../src/accounts/codes/codes.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'

const PURPOSES = ['verify_email', 'verify_phone', 'login_mfa', 'reset_password'] as const
const CHANNELS = ['email', 'phone', 'totp'] as const

it('each purpose allows its own channels only', () => {
  const allowed = PURPOSES.flatMap((purpose) =>
    CHANNELS.filter(
      (channel) => wrongField({ purpose, channel, challengeId: uuidv7() }) === '',
    ).map((channel) => `${purpose} ${channel}`),
  )
  assert.deepEqual(allowed, [
    'verify_email email',
    'verify_phone phone',
    'login_mfa email',
    'login_mfa phone',
    'login_mfa totp',
    'reset_password email',
    'reset_password phone',
  ])
  assert.equal(wrongField({ purpose: 'verify_email', channel: 'phone' }), 'channel')
})

it('a login code belongs to a challenge', () => {
  for (const channel of CHANNELS) {
    assert.equal(wrongField({ purpose: 'login_mfa', channel }), 'challenge_id')
  }
})

function wrongField(body: Parameters<typeof checkChannel>[0]): string | undefined {
  try {
    checkChannel(body)
    return ''
  } catch (error) {
    assert.ok(error instanceof Failure && error.kind === 'invalid')
    assert.ok(error.message.startsWith(`${error.param} `), error.message)
    return error.param
  }
}
