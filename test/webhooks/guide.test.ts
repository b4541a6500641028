import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { newSecret, openSecrets, signedHeaders, webhookKeys } from '../../src/webhooks/secrets.ts'

type Verify = (secret: string, headers: Record<string, string>, body: string | Buffer) => boolean

it('the guide verifies what we sign, and nothing else', async () => {
  const guide = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  const code = /```js\n([^]*?)```/.exec(guide)![1]!
  const { verify } = (await import(
    `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  )) as { verify: Verify }
  const keys = webhookKeys({
    masterKey: 'a master key for tests, long enough',
    previous: undefined,
  })
  const id = randomUUID()
  const [present, before] = [newSecret(keys, id), newSecret(keys, id)]
  const secrets = openSecrets(keys, { id, secrets: [present.sealed, before.sealed] })!
  const body = '{"type":"balance.low","data":{"name":"Zawadi ✓"}}'
  const sign = (now: Date) => signedHeaders(secrets, { id, body, now })
  const headers = sign(new Date())
  for (const { shown } of [present, before]) {
    assert.equal(verify(shown, headers, body), true)
    assert.equal(verify(shown, headers, Buffer.from(body)), true)
    assert.equal(verify(shown, headers, `${body} `), false)
    assert.equal(verify(shown, { ...headers, 'webhook-id': randomUUID() }, body), false)
    assert.equal(verify(shown, sign(new Date(Date.now() - 301_000)), body), false)
    assert.equal(verify(shown, sign(new Date(Date.now() + 310_000)), body), false)
    assert.equal(verify(shown, { ...headers, 'webhook-timestamp': 'x' }, body), false)
    assert.equal(verify(shown, { ...headers, 'webhook-signature': 'v1,' }, body), false)
  }
  assert.equal(verify(newSecret(keys, id).shown, headers, body), false)
})
