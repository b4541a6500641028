import { createAuthenticator } from '../../src/accounts/authenticator.ts'
import { openSignIn } from '../../src/accounts/sign-in/sign-in.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { authRoutes } from '../../src/routes/auth.ts'
import { meRoutes } from '../../src/routes/me.ts'
import { signInRoutes } from '../../src/routes/sign-in.ts'
import { client, openTestAccounts } from './accounts.ts'
import { watchAnswers } from './openapi/conformance.ts'
import { startServer } from './server.ts'

/** The name under which browsers know the app; tests visit it on its real port. */
export const PUBLIC_URL = 'http://127.0.0.1:9'
export const PAGE = 'https://app.example/auth/callback'

/** The app with its ways in through others. */
export async function startSignIn(db: Db, settings: Record<string, string>) {
  const accounts = await openTestAccounts(db)
  const config = readConfig({ PUBLIC_URL, FRONTEND_URL: 'https://app.example', ...settings })
  const routes = [
    ...authRoutes(accounts),
    ...meRoutes(accounts),
    ...signInRoutes(openSignIn(accounts, config)),
  ]
  const service = await startServer({ routes, authenticator: createAuthenticator(accounts) })
  const answers = watchAnswers(service.server.http, routes)
  const close = async () => {
    await service.close()
    await answers.check()
  }
  return { accounts, url: service.url, call: client(service.url), close }
}

/** A browser: keeps cookies by origin, follows nothing by itself. */
export function openBrowser(appUrl: string) {
  const jars = new Map<string, Map<string, string>>()
  const real = (address: string) => address.replace(PUBLIC_URL, appUrl)

  const get = async (address: string) => {
    const url = new URL(real(address))
    const jar = jars.get(url.origin) ?? new Map<string, string>()
    jars.set(url.origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} })
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0]!.split('=') as [string, string]
      jar.set(name, value)
    }
    const location = answer.headers.get('location')
    const next = location === null ? null : new URL(location, address).href
    return { status: answer.status, headers: answer.headers, next, text: await answer.text() }
  }
  /** Follows redirects until the next address begins with `until`; answers that address. */
  const walk = async (address: string, until: string) => {
    let next: string | null = address
    for (let step = 0; step < 12 && next !== null; step += 1) {
      if (step > 0 && next.startsWith(until)) return next
      next = (await get(next)).next
    }
    throw new Error(`never came to ${until}`)
  }
  return { get, walk, jars }
}

export function fragmentOf(address: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(new URL(address).hash.slice(1)))
}
