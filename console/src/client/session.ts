import { useSyncExternalStore } from 'react'
import type { Documented } from './routes.ts'

/**
 * The access token lives in this tab's memory. What renews it is a cookie that scripts cannot read,
 * so a reload asks the service for a new one.
 */
export type User = Documented['GET /v1/me']['answer']['data']
type Opened = { access_token: string; user: User }
/** `unreachable`: the service does not answer, so it is not known whether there is a session. */
type State = { status: 'unknown' | 'unreachable' | 'out' | 'in'; user: User | undefined }

/** Set while a session is likely, so that visitors without one send no request. */
const HINT = 'mlango_signed_in'
const LOCK = 'mlango-session'

let state: State = { status: 'unknown', user: undefined }
let token: string | undefined
const listeners = new Set<() => void>()
// The build, which writes HTML, has no tabs.
const otherTabs = typeof document === 'undefined' ? undefined : new BroadcastChannel('mlango')

function become(next: State, accessTokenNow: string | undefined): void {
  token = accessTokenNow
  state = next
  listeners.forEach((listener) => listener())
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
  become({ status: 'in', user: opened.user }, opened.access_token)
  otherTabs?.postMessage('signed-in')
}

export function updateUser(user: User): void {
  if (state.status === 'in') become({ status: 'in', user }, token)
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
  return (await renewAccess(token)) !== undefined
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
      become({ status: 'in', user: data.user }, data.access_token)
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
  if (data === 'signed-in' && state.status !== 'in') void resume()
})
