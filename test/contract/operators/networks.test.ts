import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { refused } from '../../support/accounts.ts'
import { startApp } from '../../support/app.ts'
import { newOperator } from '../../support/operators.ts'

let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  app = await startApp({
    env: { TRUST_PROXY: 'on', OPERATOR_NETWORKS: '196.41.0.0/16, 2001:db8::/32' },
  })
})
after(() => app.close())

test('OPERATOR_NETWORKS: from elsewhere there is nothing, not even for an owner', async () => {
  const { token } = await newOperator(app, 'owner')
  const from = (address: string) =>
    app.call('GET /v1/operator/me', { token, headers: { 'x-forwarded-for': address } })
  for (const address of ['196.41.7.8', '::ffff:196.41.7.8', '2001:db8::7']) {
    assert.equal((await from(address)).status, 200, address)
  }
  for (const address of ['196.42.7.8', '2001:db9::7', '127.0.0.1']) {
    refused(await from(address), 404, 'not_found')
  }
})
