import type { AddressInfo } from 'node:net'
import type { Claim, StorableAnswer } from '../../src/lib/answer.ts'
import { Failure } from '../../src/lib/failure.ts'
import { silentLog, type Log } from '../../src/lib/log.ts'
import type { Principal } from '../../src/accounts/principal.ts'
import type { Limiter } from '../../src/http/limits/process-counter.ts'
import type { MissingParts } from '../../src/http/own-routes.ts'
import type { Route } from '../../src/http/route.ts'
import type { Authenticator, AnswerStore, ServerSettings } from '../../src/http/server-context.ts'
import { buildServer } from '../../src/http/server.ts'

type Parts = {
  routes: Route[]
  settings?: Partial<ServerSettings>
  authenticator?: Authenticator
  limiter?: Limiter
  storedAnswers?: AnswerStore
  log?: Log
  port?: number
  missing?: MissingParts
}

const settings: ServerSettings = {
  TRUST_PROXY: false,
  DRAIN_SECONDS: 30,
  RATE_LIMIT_RPM: 600,
  RATE_LIMIT_JWT_RPM: 120,
  RATE_LIMIT_ACCOUNT_RPM: 300,
  AUTH_RATE_LIMIT_RPM: 20,
  MAX_RUNNING_CALLS: 4_000,
  MAX_BODIES_MB: 512,
  ACCOUNT_SHARE_PERCENT: 100,
  ADDRESS_SHARE_PERCENT: 100,
  SLOWEST_BODY_BYTES_PER_S: 1_000,
}

/** A server on a free port, with test routes and an authenticator that knows the tokens below. */
export async function startServer(parts: Parts) {
  const server = buildServer({
    routes: parts.routes,
    authenticator: parts.authenticator ?? tokenAuthenticator,
    limiter: parts.limiter ?? openLimiter,
    storedAnswers: parts.storedAnswers ?? forgetfulStore,
    config: { ...settings, ...parts.settings },
    log: parts.log ?? silentLog,
    ...(parts.missing && { missing: parts.missing }),
  })
  await server.listen({ host: '127.0.0.1', port: parts.port ?? 0 })
  const { port } = server.http.address() as AddressInfo
  const close = async () => {
    const closed = server.close()
    await server.context.running.whenIdle()
    // A client's spare connection, on which it never asked anything, does not count as idle.
    server.http.closeAllConnections()
    await closed
  }
  return { server, port, url: `http://127.0.0.1:${port}`, close }
}

export const KEY_ACCOUNT = '01900000-0000-7000-8000-000000000001'
export const keyHeaders = { authorization: 'Bearer key-1' }
export const jwtHeaders = { authorization: 'Bearer jwt-1' }

/** `Bearer key-<n>` and `Bearer jwt-<n>` are valid; all else is not. */
const tokenAuthenticator: Authenticator = {
  async identify(authorization): Promise<Principal> {
    const match = /^Bearer (key|jwt)-(\d)$/.exec(authorization ?? '')
    if (match === null) throw new Failure('unauthorized', 'The credential is missing or unknown.')
    const accountId = KEY_ACCOUNT.slice(0, -1) + match[2]
    return match[1] === 'key'
      ? { kind: 'key', accountId, keyId: `k${match[2]}`, workspaceId: accountId }
      : { kind: 'jwt', accountId, sessionId: accountId, role: 'user' }
  },
}

const openLimiter: Limiter = {
  take: (_bucket, limit) => ({
    allowed: true,
    limit,
    remaining: limit - 1,
    resetS: 1,
    retryAfterS: 0,
  }),
  giveBack: () => {},
}

/** For tests that are not about replays: every key is new. */
const forgetfulStore: AnswerStore = {
  claim: async ({ accountId, key }) => ({ state: 'claimed', claim: { id: key, accountId, key } }),
  find: async () => undefined,
  store: async (_claim: Claim, _answer: StorableAnswer) => {},
  free: async () => {},
}
