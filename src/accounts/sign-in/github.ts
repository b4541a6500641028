import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  Configuration,
  customFetch,
} from 'openid-client'
import { request } from 'undici'
import { z } from 'zod'
import { cappedFetch, readCappedJson } from '../../lib/http-json.ts'
import { readIdentity } from './identity.ts'
import type { ExternalIdentity } from './identity.ts'
import { identityFailure, providerUnavailable, insecureOnLoopback } from './identity-provider.ts'
import type { BrowserProvider } from './identity-provider.ts'

type GithubSettings = {
  url: string
  apiUrl: string
  clientId: string
  clientSecret: string
  redirectUri: string
}

/** Plain OAuth 2: there is no ID token, so the profile is fetched with the access token. */
export function githubProvider(settings: GithubSettings): BrowserProvider {
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
        // The library's errors name the provider: the caller gets one of ours.
        throw identityFailure(error)
      }
    },
  }
}

function serverOf(settings: GithubSettings): Configuration {
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
  config[customFetch] = cappedFetch
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

const LARGEST_ANSWER_BYTES = 256 * 1024

/** Only the numeric id stays the same: names and addresses can pass to someone else. */
async function profileOf(settings: GithubSettings, accessToken: string): Promise<ExternalIdentity> {
  const user = userShape.parse(await get(settings, '/user', accessToken))
  const emails = emailsShape.parse(await get(settings, '/user/emails', accessToken))
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

async function get(settings: GithubSettings, path: string, accessToken: string): Promise<unknown> {
  const response = await request(settings.apiUrl.replace(/\/+$/, '') + path, {
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
  if (response.statusCode !== 200) {
    await response.body.dump()
    throw providerUnavailable(
      new Error(`the profile request was answered with ${response.statusCode}`),
    )
  }
  return readCappedJson(response.body, LARGEST_ANSWER_BYTES)
}
