import { useSyncExternalStore } from 'react'
import { keepOnly } from './session-belongings.ts'
import type { Documented } from './routes.ts'

/**
 * The access token lives in this tab's memory. What renews it is a cookie that scripts cannot read,
 * so a reload asks the service for a new one.
 */
export type User = Documented['GET /v1/me']['answer']['data']
type Opened = { access_token: string; user: User }
/** `unreachable`: the service does not answer, so it is not known whether there is a session. */
type Status = 'unknown' | 'unreachable' | 'out' | 'in'
/** `id` is the session's. */
type State = { status: Status; user: User | undefined; id?: string }

/** Set while a session is likely, so that visitors without one send no request. */
const HINT = 'mlango_signed_in'
const LOCK = 'mlango-session'

let state: State = { status: 'unknown', user: undefined }
let token: string | undefined
const listeners = new Set<() => void>()
// The build, which writes HTML, has no tabs.
const otherTabs = typeof document === 'undefined' ? undefined : new BroadcastChannel('mlango')

/** The only place where a session begins or ends: nothing of one is left for the next. */
function become(next: State, accessTokenNow: string | undefined): void {
  const isKnown = next.status === 'in' || next.status === 'out'
  if (isKnown) keepOnly(next.id)
  token = accessTokenNow
  state = next
  listeners.forEach((listener) => listener())
}

function enter({ access_token: access, user }: Opened): void {
  become({ status: 'in', user, id: sessionOf(access) }, access)
}

/** The claim `sid` of an access token. */
function sessionOf(access: string): string {
  const claims = access.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')
  return String((JSON.parse(atob(claims)) as { sid: unknown }).sid)
}

export function useSession(): State {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
    () => SERVER,
  )
}
const SERVER: State = { status: 'unknown', user: undefined }

/** Takes the answer of login, verify and refresh. */
export function openSession(opened: Opened): void {
  localStorage.setItem(HINT, '1')
  enter(opened)
  otherTabs?.postMessage('signed-in')
}

export function updateUser(user: User): void {
  if (state.status === 'in') become({ ...state, user }, token)
}

/** Forgets the session in this tab and the others. The caller ends it at the service. */
export function closeSession(): void {
  localStorage.removeItem(HINT)
  become({ status: 'out', user: undefined }, undefined)
  otherTabs?.postMessage('signed-out')
}

/** The token to call with; undefined for a visitor. */
export async function accessToken(): Promise<string | undefined> {
  if (state.status === 'unknown' || state.status === 'unreachable') await resume()
  return token
}

let resuming: Promise<unknown> | undefined

/** At a page's start: renews the session of the cookie, where there may be one. */
export function resume(): Promise<unknown> {
  if (localStorage.getItem(HINT) === null) {
    if (state.status === 'unknown') become({ status: 'out', user: undefined }, undefined)
    return Promise.resolve()
  }
  return (resuming ??= renewAccess(undefined).finally(() => (resuming = undefined)))
}

/** After a sign-in through Google or GitHub, which leaves nothing but the cookie. */
export async function expectSession(): Promise<boolean> {
  localStorage.setItem(HINT, '1')
  const isIn = (await renewAccess(token)) !== undefined
  if (isIn) otherTabs?.postMessage('signed-in')
  return isIn
}

/** One tab at a time asks; the tabs that waited use what it got. */
export async function renewAccess(refused: string | undefined): Promise<string | undefined> {
  return inTurn(async () => {
    if (token !== undefined && token !== refused) return token
    const response = await fetch('/v1/auth/refresh', {
      method: 'POST',
      headers: { 'x-mlango-session': 'cookie' },
    }).catch(() => undefined)
    if (response?.ok) {
      const { data } = (await response.json()) as { data: Opened }
      enter(data)
      return token
    }
    // Without an answer the session may still be valid: only a refusal ends it.
    if (response !== undefined && [400, 401, 403].includes(response.status)) closeSession()
    else if (token === undefined) become({ status: 'unreachable', user: undefined }, undefined)
    return undefined
  })
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return work()
  return navigator.locks.request(LOCK, work)
}

otherTabs?.addEventListener('message', ({ data }) => {
  if (data === 'signed-out' && state.status === 'in') {
    become({ status: 'out', user: undefined }, undefined)
  }
  // It may be somebody else: the cookie knows.
  if (data === 'signed-in') void (state.status === 'in' ? renewAccess(token) : resume())
})
