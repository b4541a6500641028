import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import type { JWK } from 'jose'

type Person = Record<string, unknown> & { email?: string; email_verified?: boolean }

export const AUDIENCE = 'https://mlango.example'
export const SCOPE = 'mlango:sign-in'
export const CLIENT = { id: 'web-client', secret: 'web-secret' }

export type OidcPeer = {
  issuer: string
  /** Who signs in when a browser comes along; their claims, by subject. */
  people: Record<string, Person>
  visitor: string
  /** A token of this issuer with any header and claims. */
  mint(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>
  /** Answers 503 to everything while true. */
  down: boolean
  close(): Promise<void>
}

/** A real OpenID provider. Whoever comes is signed in as `visitor`, without being asked. */
export async function startOidcPeer(redirectUris: string[]): Promise<OidcPeer> {
  const server = createServer()
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'k1', use: 'sig', alg: 'RS256' }
  const peer: OidcPeer = {
    issuer,
    people: {},
    visitor: '',
    down: false,
    mint: (claims, header) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'JWT', ...header })
        .sign(privateKey),
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
  const provider = openProvider(peer, jwk, redirectUris)
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (peer.down) response.writeHead(503).end()
    else void answer(request, response)
  })
  return peer
}

function openProvider(peer: OidcPeer, jwk: JWK, redirectUris: string[]): Provider {
  const provider = new Provider(peer.issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['a cookie key of the peer'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    // As the provider it stands for does: the ID token carries the profile.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    ttl: { AccessToken: 600, IdToken: 600, Grant: 600, Session: 600, Interaction: 600 },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...peer.people[id] }),
    }),
    async loadExistingGrant(context) {
      const { client, session } = context.oidc
      const grant = new provider.Grant({
        clientId: client!.clientId,
        accountId: session!.accountId!,
      })
      grant.addOIDCScope('openid email profile')
      grant.addResourceScope(AUDIENCE, SCOPE)
      await grant.save()
      return grant
    },
    extraTokenClaims: (_context, token) =>
      'accountId' in token ? peer.people[token.accountId] : undefined,
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: SCOPE,
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
        }),
        useGrantedResource: () => true,
      },
    },
  })
  provider.use(async (context, next) => {
    if (!context.path.startsWith('/interaction/')) return next()
    context.respond = false
    const login = { accountId: peer.visitor }
    return provider.interactionFinished(context.req, context.res, { login })
  })
  return provider
}
