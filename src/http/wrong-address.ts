import type { IncomingMessage } from 'node:http'
import type { Dialect, RoutePlan } from './route.ts'

/** The format of an answer where no route is, and what its reader may have meant. */
export type Nowhere = { dialect: Dialect; credential?: 'key'; hint?: string }

/**
 * Clients put a path of theirs behind the base address that they were given. Where an address ends
 * like one of ours, its sender is told which base address to set, in the format that is read there.
 */
export function wrongAddresses(plans: readonly RoutePlan[], publicUrl: string | undefined) {
  const ends = Map.groupBy(plans.filter(isForClients), endOf)
  return (request: IncomingMessage): Nowhere => {
    const path = request.url!.split('?', 1)[0]!.replace(/\/$/, '')
    const base = baseOf(request, publicUrl)
    if (path === '' || path === '/v1') return told('both', `The API begins at ${base}/v1.`, base)
    const steps = path.split('/').slice(-LONGEST_END)
    const found = steps.map((_, at) => ends.get(`/${steps.slice(at).join('/')}`)).find(Boolean)
    const { route } =
      found?.find((plan) => plan.route.method === request.method) ?? found?.[0] ?? {}
    const isMessages = route?.dialect === 'messages' || path.startsWith('/v1/messages/')
    if (route === undefined) return { dialect: isMessages ? 'messages' : 'envelope' }
    const { method, path: right } = route
    return told(isMessages ? 'messages' : 'both', `You may mean ${method} ${base}${right}.`, base)
  }
}

/** `/audio/transcriptions`: their ends have two steps at most. */
const LONGEST_END = 2

function told(dialect: Dialect, meant: string, base: string): Nowhere {
  const bases = `Set the client's base address to ${base}/v1; in Claude Code and Anthropic's SDKs to ${base}.`
  return { dialect, credential: 'key', hint: `${meant} ${bases}` }
}

function isForClients({ route }: RoutePlan): boolean {
  if (route.refusesAll === true) return false
  return route.dialect !== 'envelope' && route.path.startsWith('/v1/') && !/[:*]/.test(route.path)
}

function endOf({ route }: RoutePlan): string {
  return route.path.slice('/v1'.length)
}

const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i
const LOCAL = /^(?:localhost|127\.|\[::1\])/i

function baseOf({ headers }: IncomingMessage, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.endsWith('/') ? publicUrl.slice(0, -1) : publicUrl
  const { host = '' } = headers
  if (!HOST.test(host)) return 'https://HOST'
  return `${LOCAL.test(host) ? 'http' : 'https'}://${host}`
}
