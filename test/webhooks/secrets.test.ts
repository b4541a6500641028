import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { newSecret, openSecrets, signedHeaders, webhookKeys } from '../../src/webhooks/secrets.ts'

const MASTER = 'a master key for tests, long enough'
const OTHER = 'another master key for tests, as long'

it('signs as the Standard Webhooks do', () => {
  // The example of their libraries.
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    now: new Date(1_614_265_330_999),
  }
  assert.deepEqual(signedHeaders([secret], message), {
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
  const two = signedHeaders([secret, Buffer.from('another')], message)['webhook-signature']!
  assert.match(two, /^v1,g0hM9SsE\S+ v1,\S+$/)
})

it('seals a secret for its endpoint alone, and opens it while MASTER_KEY is being changed', () => {
  const id = randomUUID()
  const keys = webhookKeys({ masterKey: MASTER, previous: undefined })
  const { shown, sealed } = newSecret(keys, id)
  assert.match(shown, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const bytes = Buffer.from(shown.slice('whsec_'.length), 'base64')
  assert.ok(!sealed.includes(bytes))
  assert.deepEqual(openSecrets(keys, { id, secrets: [sealed] }), [bytes])
  assert.equal(openSecrets(keys, { id: randomUUID(), secrets: [sealed] }), undefined)
  const changed = webhookKeys({ masterKey: OTHER, previous: MASTER })
  assert.deepEqual(openSecrets(changed, { id, secrets: [sealed] }), [bytes])
  const after = webhookKeys({ masterKey: OTHER, previous: undefined })
  assert.equal(openSecrets(after, { id, secrets: [sealed] }), undefined)
  // One of before that cannot be opened does not keep the present one from signing.
  const fresh = newSecret(after, id).sealed
  assert.equal(openSecrets(after, { id, secrets: [fresh, sealed] })!.length, 1)
})
