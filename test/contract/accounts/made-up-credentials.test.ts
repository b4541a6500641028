import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createAuthenticator } from '../../../src/accounts/authenticator.ts'
import { newKey } from '../../../src/accounts/credentials/credential-caches.ts'
import { ProcessCounter } from '../../../src/http/limits/process-counter.ts'
import { apiKeyRoutes } from '../../../src/routes/api-keys.ts'
import { authRoutes } from '../../../src/routes/auth.ts'
import { meRoutes } from '../../../src/routes/me.ts'
import { accountsApp, client, from, refused, testClock } from '../../support/accounts.ts'
import { startServer } from '../../support/server.ts'

/** Ten times AUTH_RATE_LIMIT_RPM: the clock stands still, so that the minute never ends. */
const MOST = 20
const NOW = new Date('2026-01-01T00:00:30Z')

describe('made-up keys and tokens', () => {
  const clock = testClock()
  const app = accountsApp(clock)
  let server: Awaited<ReturnType<typeof startServer>>
  before(async () => {
    const { accounts } = app
    server = await startServer({
      routes: [...authRoutes(accounts), ...meRoutes(accounts), ...apiKeyRoutes(accounts)],
      authenticator: createAuthenticator(accounts),
      limiter: new ProcessCounter({ now: () => NOW }),
      settings: { TRUST_PROXY: true, AUTH_RATE_LIMIT_RPM: MOST / 10 },
    })
  })
  after(() => server.close())

  const ask = (token: string, address: string) =>
    client(server.url)('GET /v1/me', { token, headers: from(address) })
  const useUp = async (address: (n: number) => string) => {
    for (let n = 0; n < MOST; n++) {
      const token = n % 2 === 0 ? newKey() : 'made.up.token'
      refused(await ask(token, address(n)), 401, 'unauthorized')
    }
  }

  it('429 after so many a minute from one network; a good credential from there is taken as ever', async () => {
    const nat = '41.59.7.1'
    const { token } = await app.signUp()
    const made = await app.call('POST /v1/api-keys', { token, body: { name: 'k' } })
    await useUp(() => nat)
    for (const guess of [newKey(), 'made.up.token', 'mlg_short']) {
      const answer = await ask(guess, nat)
      refused(answer, 429, 'rate_limited')
      assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    }
    assert.equal((await ask(token, nat)).status, 200)
    refused(await ask(made.body.data.key, nat), 403, 'forbidden')
    refused(await ask(newKey(), '41.59.7.2'), 401, 'unauthorized')
  })

  it('a token that was ours until now is no guess: 401, so that its page renews it', async () => {
    const nat = '41.59.8.1'
    const [ended, expired] = [await app.signUp(), await app.signUp()]
    await app.call('POST /v1/auth/logout', { token: ended.token })
    await useUp(() => nat)
    refused(await ask(ended.token, nat), 401, 'unauthorized')
    clock.push(16 * 60_000)
    refused(await ask(expired.token, nat), 401, 'unauthorized')
  })

  it('of IPv6 a whole /64 is one network', async () => {
    await useUp((n) => `2001:db8:1:2::${n + 1}`)
    refused(await ask(newKey(), '2001:db8:1:2:ffff::1'), 429, 'rate_limited')
    refused(await ask(newKey(), '2001:db8:1:3::1'), 401, 'unauthorized')
  })
})
