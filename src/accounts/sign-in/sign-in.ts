import type { Config } from '../../config.ts'
import type { Accounts } from '../accounts.ts'
import type { BrowserProviderName } from './attempts-store.ts'
import { githubProvider } from './github.ts'
import { googleMobile } from './google-mobile.ts'
import type { MobileSignIn } from './google-mobile.ts'
import { googleProvider } from './google.ts'
import type { BrowserProvider } from './identity-provider.ts'
import { partnerSignIn } from './partner.ts'
import type { PartnerSignIn } from './partner.ts'

/** The providers that people can sign in with here. What is not configured is undefined. */
export type SignIn = {
  accounts: Accounts
  providers: Partial<Record<BrowserProviderName, BrowserProvider>>
  mobile: MobileSignIn | undefined
  partner: PartnerSignIn | undefined
  partnerSlug: string
  publicUrl: string
  /** Pages that may receive tokens; the first is the default. Compared character by character. */
  returnPages: [string, ...string[]]
}

export function openSignIn(accounts: Accounts, config: Config): SignIn {
  const publicUrl = (config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`).replace(
    /\/+$/,
    '',
  )
  const frontend = (config.FRONTEND_URL ?? publicUrl).replace(/\/+$/, '')
  const listed = config.OAUTH_REDIRECT_ALLOWLIST
  return {
    accounts,
    providers: browserProviders(config, publicUrl),
    mobile: mobile(accounts, config),
    partner: partner(accounts, config),
    partnerSlug: config.PARTNER_IDENTITY_SLUG,
    publicUrl,
    returnPages: [listed[0] ?? `${frontend}/auth/callback`, ...listed.slice(1)],
  }
}

export function callbackUrl(publicUrl: string, provider: BrowserProviderName): string {
  return `${publicUrl}/v1/auth/${provider}/callback`
}

function browserProviders(config: Config, publicUrl: string): SignIn['providers'] {
  const providers: SignIn['providers'] = {}
  if (config.GOOGLE_CLIENT_ID && config.GOOGLE_CLIENT_SECRET) {
    providers.google = googleProvider({
      issuer: config.GOOGLE_ISSUER,
      clientId: config.GOOGLE_CLIENT_ID,
      clientSecret: config.GOOGLE_CLIENT_SECRET,
      redirectUri: callbackUrl(publicUrl, 'google'),
    })
  }
  if (config.GITHUB_CLIENT_ID && config.GITHUB_CLIENT_SECRET) {
    providers.github = githubProvider({
      url: config.GITHUB_URL,
      apiUrl: config.GITHUB_API_URL,
      clientId: config.GITHUB_CLIENT_ID,
      clientSecret: config.GITHUB_CLIENT_SECRET,
      redirectUri: callbackUrl(publicUrl, 'github'),
    })
  }
  return providers
}

function mobile(accounts: Accounts, config: Config): MobileSignIn | undefined {
  const own = config.GOOGLE_CLIENT_ID === undefined ? [] : [config.GOOGLE_CLIENT_ID]
  const audiences = [...own, ...config.GOOGLE_ANDROID_AUDIENCES]
  return audiences.length === 0
    ? undefined
    : googleMobile(accounts, { issuer: config.GOOGLE_ISSUER, audiences })
}

function partner(accounts: Accounts, config: Config): PartnerSignIn | undefined {
  if (!config.PARTNER_ISSUER || !config.PARTNER_AUDIENCE) return undefined
  return partnerSignIn(accounts, {
    issuer: config.PARTNER_ISSUER,
    audience: config.PARTNER_AUDIENCE,
    scope: config.PARTNER_REQUIRED_SCOPE,
    clientIds: config.PARTNER_CLIENT_IDS,
    types: config.PARTNER_TOKEN_TYPES,
  })
}
