import { startApp } from '../test/support/app.ts'
import { PASSWORD } from '../test/support/accounts.ts'
import { migratedDatabase } from '../test/support/databases.ts'
import { startTestServer } from '../test/support/local-server.ts'
import type { Bench } from './row.ts'
import { median, timed } from './statistics.ts'

const AT_ONCE = 20
const ROUNDS = 5
const CEILING_MS = 50

/** Passwords are hashed off the event loop: 20 logins at once must not hold up `/healthz`. */
export const logins: Bench = {
  name: 'logins',
  async run() {
    const server = await startTestServer()
    const app = await startApp({ databaseUrl: await migratedDatabase(server.url) })
    try {
      const emails: string[] = []
      for (let i = 0; i < AT_ONCE; i++) emails.push((await app.signUp()).email)
      const quiet = await healthTimes(app.url, sleepAWhile())
      const busy: number[] = []
      const waits: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const all = Promise.all(emails.map((email) => timed(() => login(app.url, email))))
        busy.push(...(await healthTimes(app.url, all)))
        waits.push(...(await all))
      }
      const middle = median(busy)
      const ratio = { of: `a ceiling of ${CEILING_MS} ms`, value: CEILING_MS / middle, atLeast: 1 }
      return [
        { what: '/healthz at rest, median', value: median(quiet), unit: 'ms' },
        {
          what: `/healthz during ${AT_ONCE} logins at once, median`,
          value: middle,
          unit: 'ms',
          ratio,
        },
        { what: '/healthz during logins, worst', value: Math.max(...busy), unit: 'ms' },
        { what: `a login, one of ${AT_ONCE} at once, median`, value: median(waits), unit: 'ms' },
      ]
    } finally {
      await app.close()
      await server.stop()
    }
  },
}

/** Calls `/healthz` until the work is done, and gives how long each answer took. */
async function healthTimes(url: string, work: Promise<unknown>): Promise<number[]> {
  const over = new AbortController()
  const ending = work.finally(() => over.abort())
  const times: number[] = []
  while (!over.signal.aborted) {
    times.push(await timed(async () => (await fetch(`${url}/healthz`)).text()))
  }
  await ending
  return times
}

async function login(url: string, identifier: string): Promise<void> {
  const answer = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier, password: PASSWORD }),
  })
  await answer.text()
  if (answer.status !== 200) throw new Error(`A login was answered with ${answer.status}.`)
}

function sleepAWhile(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, 1_000))
}
