import { z } from 'zod'
import { finishBrowser, startBrowser } from '../accounts/sign-in/browser.ts'
import type { SignIn } from '../accounts/sign-in/sign-in.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { Failure } from '../lib/failure.ts'
import { sessionShape } from './account-shapes.ts'
import { deviceOf } from './caller.ts'

const shared = { tag: 'Authentication', credential: 'none', dialect: 'envelope' } as const
const enteredShape = sessionShape.extend({ created: z.boolean() })

export function signInRoutes(desk: SignIn): Route[] {
  return [
    startRoute(desk, 'google'),
    callbackRoute(desk, 'google'),
    startRoute(desk, 'github'),
    callbackRoute(desk, 'github'),
    mobileRoute(desk),
    partnerRoute(desk),
  ]
}

type Provider = 'google' | 'github'

const startQuery = z.object({
  redirect_uri: z.string().max(2048).optional(),
  state: z.string().max(512).optional(),
})

function startRoute(desk: SignIn, provider: Provider): Route {
  return route<undefined, z.infer<typeof startQuery>>({
    ...shared,
    method: 'GET',
    path: `/v1/auth/${provider}/start`,
    summary: 'Send a browser to sign in there; redirects',
    limit: 'auth',
    query: startQuery,
    async handle({ query, headers }) {
      const { url, browser } = await startBrowser(desk, {
        provider,
        redirectUri: query.redirect_uri,
        clientState: query.state,
        browser: cookieOf(desk, headers.cookie),
      })
      return redirect(url.href, { 'set-cookie': setCookie(desk, browser) })
    },
  })
}

/** Not limited by address and without a schema: those would answer in JSON, to a browser. */
function callbackRoute(desk: SignIn, provider: Provider): Route {
  return route<undefined, Record<string, string | string[]>>({
    ...shared,
    method: 'GET',
    path: `/v1/auth/${provider}/callback`,
    summary: 'Where the provider sends the browser back to; redirects with tokens in the fragment',
    limit: 'none',
    async handle(call) {
      const page = await finishBrowser(desk, {
        provider,
        query: paramsOf(call.query),
        browser: cookieOf(desk, call.headers.cookie),
        device: deviceOf(call),
        requestId: call.requestId,
      })
      return redirect(page)
    },
  })
}

function mobileRoute(desk: SignIn): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/v1/auth/google/mobile',
    summary: 'Trade an ID token of a native Android sign-in for a session',
    limit: 'auth',
    body: z.object({
      id_token: z.string().min(1).max(8192),
      nonce: z.string().min(1).max(512).optional(),
    }),
    response: enteredShape,
    async handle(call) {
      const { id_token: idToken, nonce } = call.body
      return { data: await present(desk.mobile)({ idToken, nonce }, deviceOf(call)) }
    },
  })
}

function partnerRoute(desk: SignIn): Route {
  return route({
    ...shared,
    method: 'POST',
    path: `/v1/auth/${desk.partnerSlug}`,
    summary: 'Trade an access token of the partner identity service for a session',
    limit: 'auth',
    body: z.object({ access_token: z.string().min(1).max(8192) }),
    response: enteredShape,
    handle: async (call) => ({
      data: await present(desk.partner)(call.body.access_token, deviceOf(call)),
    }),
  })
}

function present<T>(way: T | undefined): T {
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

function setCookie(desk: SignIn, value: string): string {
  const secure = desk.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(desk)}=${value}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax${secure}`
}

function cookieOf(desk: SignIn, header: string | string[] | undefined): string | undefined {
  const wanted = `${cookieName(desk)}=`
  const pairs = String(header ?? '').split('; ')
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length)
}
