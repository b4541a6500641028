import type { ChallengeView } from '../../accounts/sessions/challenge.ts'
import { readRefreshToken } from '../../accounts/credentials/tokens.ts'
import type { Device, SessionView } from '../../accounts/sessions/sessions.ts'
import type { Success } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { isTrustedAddress } from '../../lib/party-address.ts'
import { acceptedLocale, type Locale } from '../../notices/language.ts'

/*
 * Sessions of our own pages. The refresh token is in a cookie that no script reads. Browsers send it
 * with every request, so only two routes look at it, and only when the request can come from nowhere
 * but our pages: it has a header that other origins may not send, and the `Origin` that browsers write.
 */

type Headers = Record<string, string | string[] | undefined>

/** The prefix keeps other hosts of the same domain from setting it. */
const COOKIE = '__Host-mlango_refresh'

/** Whether a page of ours asks for a session in a cookie. Throws when it cannot be one of ours. */
export function asksForCookie(headers: Headers, own: OwnUrls): boolean {
  const wish = headers['x-mlango-session']
  if (wish === undefined) return false
  if (wish !== 'cookie') {
    const param = 'X-Mlango-Session'
    throw new Failure('invalid', `${param} must be cookie, or left out.`, { param })
  }
  const origin = ownOrigin(headers, own)
  requireCookies(origin)
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  if (headers.origin !== origin || site !== 'same-origin') {
    throw new Failure('forbidden', 'Only pages of this service can use a browser session.')
  }
  return true
}

/** Browsers keep such a cookie for https, and for this machine itself. */
export function requireCookies(address: string): void {
  if (isTrustedAddress(address)) return
  throw new Failure(
    'forbidden',
    'Browser sessions need https. Open this service by https, or on localhost.',
  )
}

type OwnUrls = { publicUrl: string | undefined; operatorUrl: string | undefined }

/**
 * Without PUBLIC_URL it is what the browser calls us, which only this machine can mean by localhost.
 * The host of the operators has sessions of its own: no page of another host can use them.
 */
function ownOrigin(headers: Headers, { publicUrl, operatorUrl }: OwnUrls): string {
  const isOperators = operatorUrl !== undefined && new URL(operatorUrl).host === headers.host
  const address = (isOperators ? operatorUrl : publicUrl) ?? `http://${String(headers.host)}`
  return URL.canParse(address) ? new URL(address).origin : 'http://unknown.invalid'
}

export function refreshCookie(headers: Headers): string | undefined {
  const wanted = `${COOKIE}=`
  const pairs = String(headers.cookie ?? '').split('; ')
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length)
}

/** Which session the cookie claims to be of: a mobile network is one address, sessions are not. */
export function cookieSession(headers: Headers): string | undefined {
  return readRefreshToken(pageCookie(headers) ?? '')?.sessionId
}

/** Read where nothing depends on it but whose tries are counted. */
function pageCookie(headers: Headers): string | undefined {
  return headers['x-mlango-session'] === 'cookie' ? refreshCookie(headers) : undefined
}

type Renewable = Pick<SessionView, 'refresh_token' | 'refresh_expires_in'>

export function setRefreshCookie(session: Renewable): { 'set-cookie': string } {
  return cookieHeader(session.refresh_token, session.refresh_expires_in)
}

export function clearRefreshCookie(): { 'set-cookie': string } {
  return cookieHeader('', 0)
}

function cookieHeader(value: string, lifeS: number): { 'set-cookie': string } {
  const rules = 'Path=/; HttpOnly; Secure; SameSite=Strict'
  return { 'set-cookie': `${COOKIE}=${value}; Max-Age=${lifeS}; ${rules}` }
}

/** Where a sign-in comes from. */
export function deviceOf(call: { address: string; headers: Headers }, cookie = false): Device {
  const userAgent = String(call.headers['user-agent'] ?? '').slice(0, 300)
  const refreshToken = pageCookie(call.headers)
  return {
    address: call.address,
    userAgent,
    cookie,
    refreshToken,
    locale: localeAsked(call.headers),
  }
}

/** The language that the caller's device asks for. */
export function localeAsked(headers: Headers): Locale | undefined {
  return acceptedLocale(headers['accept-language'] as string | undefined)
}

/** The language of our own pages, as `web` reads it: Kiswahili unless it was chosen otherwise. */
export function localeOfPages(headers: Headers): Locale {
  return /(^|; )mlango_language=en(;|$)/.test(String(headers.cookie ?? '')) ? 'en' : 'sw'
}

/**
 * In a browser the refresh token goes into the cookie, and nowhere else. A guest session does not
 * replace the one that the browser has.
 */
export function sessionAnswer(opened: SessionView | ChallengeView, cookie: boolean): Success {
  if (!('refresh_token' in opened)) return { data: opened }
  const { guest, ...session } = opened
  if (!cookie) return { data: session }
  const { refresh_token: _token, refresh_expires_in: _life, ...data } = session
  return guest ? { data } : { data, headers: setRefreshCookie(session) }
}
