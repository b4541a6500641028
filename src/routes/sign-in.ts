import { z } from 'zod'
import { finishBrowser, startBrowser } from '../accounts/sign-in/browser.ts'
import type { SignIn } from '../accounts/sign-in/sign-in.ts'
import { route, type Route } from '../http/route.ts'
import { Failure } from '../lib/failure.ts'
import { identityChallengeShape, sessionShape } from './account-shapes.ts'
import {
  deviceOf,
  localeOfPages,
  requireCookies,
  setRefreshCookie,
} from './console/browser-session.ts'

const shared = { tag: 'Authentication', credential: 'none', dialect: 'envelope' } as const
const enteredShape = z.union([
  sessionShape.extend({ created: z.boolean() }),
  identityChallengeShape,
])

export function signInRoutes(signIn: SignIn): Route[] {
  return [
    startRoute(signIn, 'google'),
    callbackRoute(signIn, 'google'),
    startRoute(signIn, 'github'),
    callbackRoute(signIn, 'github'),
    mobileRoute(signIn),
    partnerRoute(signIn),
  ]
}

type Provider = 'google' | 'github'

const startQuery = z.object({
  redirect_uri: z
    .string()
    .max(2048)
    .optional()
    .meta({ description: 'Your page, to which the browser comes back' }),
  state: z.string().max(512).optional().meta({ description: 'Comes back to your page as it is' }),
  session: z
    .literal('cookie', 'must be cookie, or left out')
    .optional()
    .meta({ description: "For the service's own pages: the session is in a cookie" }),
})

function startRoute(signIn: SignIn, provider: Provider): Route {
  return route({
    ...shared,
    method: 'GET',
    path: `/v1/auth/${provider}/start`,
    summary: 'Redirect a browser to the sign-in provider',
    description:
      'Open it in a browser. `redirect_uri` is one of the pages that the service allows, `state` comes back to it.',
    limit: 'auth',
    query: startQuery,
    successStatus: 302,
    refuses: ['forbidden', 'not_found'],
    async handle({ query, headers }) {
      const cookie = query.session === 'cookie'
      if (cookie) requireCookies(signIn.publicUrl)
      const { url, browser } = await startBrowser(signIn, {
        provider,
        redirectUri: query.redirect_uri,
        clientState: query.state,
        browser: cookieOf(signIn, headers.cookie),
        cookie,
      })
      return redirect(url.href, { 'set-cookie': setCookie(signIn, browser) })
    },
  })
}

/** Not limited by address and without a schema: those would answer in JSON, to a browser. */
function callbackRoute(signIn: SignIn, provider: Provider): Route {
  return route<undefined, Record<string, string | string[]>, undefined, 'none'>({
    ...shared,
    method: 'GET',
    path: `/v1/auth/${provider}/callback`,
    summary: 'Come back from the sign-in provider',
    description:
      'The provider sends the browser here. It goes on to your page, with tokens in the fragment, with `mfa_required` and the challenge of the second factor, or with `error` and `error_description`.',
    limit: 'none',
    refuses: ['not_found'],
    successStatus: 302,
    async handle(call) {
      const { page, cookie } = await finishBrowser(signIn, {
        provider,
        query: paramsOf(call.query),
        browser: cookieOf(signIn, call.headers.cookie),
        device: deviceOf(call),
        localeOfPages: localeOfPages(call.headers),
        requestId: call.requestId,
      })
      return redirect(page, cookie === undefined ? {} : setRefreshCookie(cookie))
    },
  })
}

function mobileRoute(signIn: SignIn): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/v1/auth/google/mobile',
    summary: 'Exchange an ID token from a native Android sign-in for a session',
    description:
      'Opens the account of that Google identity, or makes one: `created` says which. With a second factor the answer is the challenge that a login gets, with its `identifier`.',
    limit: 'auth',
    body: z.object({
      id_token: z.string().min(1).max(8192),
      nonce: z.string().min(1).max(512).optional(),
    }),
    response: enteredShape,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    async handle(call) {
      const { id_token: idToken, nonce } = call.body
      return { data: await configured(signIn.mobile)({ idToken, nonce }, deviceOf(call)) }
    },
  })
}

function partnerRoute(signIn: SignIn): Route {
  return route({
    ...shared,
    method: 'POST',
    path: `/v1/auth/${signIn.partnerSlug}`,
    summary: 'Exchange an access token of the partner identity service for a session',
    description:
      'Opens the account of that person, or makes one: `created` says which. Each token is good once. With a second factor the answer is the challenge that a login gets, with its `identifier`.',
    limit: 'auth',
    body: z.object({ access_token: z.string().min(1).max(8192) }),
    response: enteredShape,
    refuses: ['unauthorized', 'forbidden', 'not_found'],
    handle: async (call) => ({
      data: await configured(signIn.partner)(call.body.access_token, deviceOf(call)),
    }),
  })
}

function configured<T>(way: T | undefined): T {
  if (way === undefined) throw new Failure('not_found', 'This way to sign in is not configured.')
  return way
}

function redirect(location: string, headers: Record<string, string> = {}) {
  return { status: 302, headers: { location, ...headers }, body: '' }
}

function paramsOf(query: Record<string, string | string[]>): URLSearchParams {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as [string, string]),
  )
  return new URLSearchParams(pairs)
}

/** `__Host-` keeps other hosts of the same domain from setting it; plain http cannot have it. */
function cookieName({ publicUrl }: SignIn): string {
  return publicUrl.startsWith('https:') ? '__Host-mlango_sign_in' : 'mlango_sign_in'
}

function setCookie(signIn: SignIn, value: string): string {
  const secure = signIn.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(signIn)}=${value}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax${secure}`
}

function cookieOf(signIn: SignIn, header: string | string[] | undefined): string | undefined {
  const wanted = `${cookieName(signIn)}=`
  const pairs = String(header ?? '').split('; ')
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length)
}
