import { AskFailure, failureOf } from './failure.ts'
import type { Documented } from './routes.ts'
import { accessToken, renewAccess } from './session.ts'

type Routes = Documented
export type RouteName = keyof Routes
export type Answer<Name extends RouteName> = Routes[Name]['answer']

/** The names between braces in a path: `id` of `/v1/payments/{id}`. */
type PathNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

export type AskOptions<Name extends RouteName> = {
  query?: Routes[Name]['query'] | undefined
  body?: Routes[Name]['body'] | FormData | undefined
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
} & ([PathNames<Name>] extends [never]
  ? { path?: undefined }
  : { path: Record<PathNames<Name>, string> })

type Ask<Name extends RouteName> = [PathNames<Name>] extends [never]
  ? [options?: AskOptions<Name>]
  : [options: AskOptions<Name>]

/** One call of the API, typed by its own document. Throws AskFailure. */
export async function ask<Name extends RouteName>(
  name: Name,
  ...[options]: Ask<Name>
): Promise<Answer<Name>> {
  const response = await send(name, options)
  try {
    return (await response.json()) as Answer<Name>
  } catch {
    throw lost(name, options?.signal)
  }
}

type SendOptions = {
  path?: Record<string, string> | undefined
  query?: object | undefined
  body?: unknown
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
}

/** The same without reading the answer: for streams, sounds and files. */
export async function send(name: RouteName, options?: SendOptions): Promise<Response> {
  const token = await accessToken()
  const first = await fetchOnce(name, options, token)
  if (first.ok) return first
  if (first.status !== 401 || token === undefined) throw await failureOf(first)
  const renewed = await renewAccess(token)
  if (renewed === undefined) throw await failureOf(first)
  const second = await fetchOnce(name, options, renewed)
  if (second.ok) return second
  throw await failureOf(second)
}

async function fetchOnce(
  name: RouteName,
  options: SendOptions | undefined,
  token: string | undefined,
): Promise<Response> {
  const [method, template] = name.split(' ') as [string, string]
  const headers: Record<string, string> = { 'x-mlango-session': 'cookie' }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (options?.idempotencyKey) headers['idempotency-key'] = options.idempotencyKey
  const { body } = options ?? {}
  if (body !== undefined && !(body instanceof FormData))
    headers['content-type'] = 'application/json'
  try {
    return await fetch(addressOf(template, options?.path, options?.query), {
      method,
      headers,
      body: body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body),
      signal: options?.signal ?? null,
    })
  } catch {
    throw lost(name, options?.signal)
  }
}

function addressOf(
  template: string,
  path: Record<string, string> | undefined,
  query: object | undefined,
): string {
  const filled = template.replace(/\{(\w+)\}(\/?)/g, (_, name: string, more: string) => {
    const value = encodeURIComponent(path?.[name] ?? '')
    // An id of a model may contain slashes. At the end of an address they stay.
    return more === '' ? value.replaceAll('%2F', '/') : value + more
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  return search.size === 0 ? filled : `${filled}?${search.toString()}`
}

function lost(name: string, signal: AbortSignal | undefined | null): AskFailure {
  const kind = signal?.aborted ? 'cancelled' : navigator.onLine ? 'unreachable' : 'offline'
  return new AskFailure({ status: 0, kind, message: '', inDoubt: !name.startsWith('GET ') })
}
