import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  Configuration,
} from 'openid-client'
import { request } from 'undici'
import { z } from 'zod'
import { readIdentity } from './identity.ts'
import type { OutsideIdentity } from './identity.ts'
import { asFailure, away, insecureOnLoopback } from './identity-provider.ts'
import type { BrowserProvider } from './identity-provider.ts'

type Settings = {
  url: string
  apiUrl: string
  clientId: string
  clientSecret: string
  redirectUri: string
}

/** Plain OAuth 2: no ID token, so the profile is asked for with the access token. */
export function githubProvider(settings: Settings): BrowserProvider {
  const server = serverOf(settings)
  return {
    name: 'github',
    async authorizeUrl({ state, verifier }) {
      return buildAuthorizationUrl(server, {
        redirect_uri: settings.redirectUri,
        scope: 'read:user user:email',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      })
    },
    async identify(callback, { state, verifier }) {
      try {
        const checks = { expectedState: state, pkceCodeVerifier: verifier }
        const tokens = await authorizationCodeGrant(server, callback, checks)
        return await profileOf(settings, tokens.access_token)
      } catch (error) {
        // The library's errors name the provider: the caller hears ours.
        throw asFailure(error)
      }
    },
  }
}

function serverOf(settings: Settings): Configuration {
  const base = settings.url.replace(/\/+$/, '')
  const issuer = `${base}/login/oauth`
  const config = new Configuration(
    {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/access_token`,
    },
    settings.clientId,
    {},
    ClientSecretPost(settings.clientSecret),
  )
  config.timeout = 10
  for (const allow of insecureOnLoopback(settings.url)) allow(config)
  return config
}

const userShape = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})
const emailsShape = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
)

/** The numeric id is what stays: names and addresses there can change hands. */
async function profileOf(settings: Settings, accessToken: string): Promise<OutsideIdentity> {
  const user = userShape.parse(await ask(settings, '/user', accessToken))
  const emails = emailsShape.parse(await ask(settings, '/user/emails', accessToken))
  const primary = emails.find((email) => email.primary && email.verified)
  return readIdentity(
    { issuer: new URL(settings.url).origin, subject: String(user.id), provider: 'GitHub' },
    {
      email: primary?.email,
      emailVerified: primary?.verified,
      names: [user.name, user.login],
      picture: user.avatar_url,
    },
  )
}

async function ask(settings: Settings, path: string, accessToken: string): Promise<unknown> {
  const answer = await request(settings.apiUrl.replace(/\/+$/, '') + path, {
    headers: {
      authorization: `Bearer ${accessToken}`,
      accept: 'application/vnd.github+json',
      'user-agent': 'Mlango',
      'x-github-api-version': '2022-11-28',
    },
    headersTimeout: 10_000,
    bodyTimeout: 10_000,
    signal: AbortSignal.timeout(10_000),
  })
  if (answer.statusCode !== 200) {
    await answer.body.dump()
    throw away(new Error(`profile answered ${answer.statusCode}`))
  }
  return answer.body.json()
}
