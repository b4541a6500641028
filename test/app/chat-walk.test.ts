import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { after, before, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { freshDatabase } from '../support/databases.ts'

const SRC = new URL('../../src/', import.meta.url).href
const MOST_FILES = 50
/** Now and then a call does more, such as making its ids anew or closing an old connection. */
const CALLS = 5

let app: Awaited<ReturnType<typeof startApp>>
let key: string
/** The customer comes by way of messages, which are sent by a job; the calls meet no job at all. */
before(async () => {
  const databaseUrl = await freshDatabase()
  const first = await startApp({ databaseUrl })
  // One that can pay for the longest answer many times over: others are asked for less, and watched.
  ;({ key } = await first.customer('10000'))
  await first.close()
  app = await startApp({ databaseUrl, jobs: false })
})
after(() => app.close())

/**
 * A newcomer who follows one call reads so many files. Counted are the files of `src` of which a
 * function runs between the request and its answer, on a service that has answered before, in each
 * call. No job runs beside them.
 */
test(`a whole chat call with a key crosses at most ${MOST_FILES} files`, async () => {
  await chat(key)
  const walks: string[][] = []
  for (let i = 0; i < CALLS; i++) walks.push(await filesRunBy(() => chat(key)))
  const crossed = walks[0]!.filter((file) => walks.every((walk) => walk.includes(file)))
  assert.ok(
    crossed.some((file) => file.startsWith('gateway/')),
    crossed.join('\n'),
  )
  assert.ok(crossed.length <= MOST_FILES, `${crossed.length} files:\n${crossed.join('\n')}`)
})

let calls = 0

async function chat(key: string): Promise<void> {
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `walk-${calls++}`,
    },
    body: JSON.stringify({
      model: 'sim/hekima',
      messages: [{ role: 'user', content: 'Habari ya asubuhi!' }],
    }),
  })
  assert.equal(answer.status, 200, await answer.text())
}

async function filesRunBy(act: () => Promise<void>): Promise<string[]> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await act()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ url }) => url.startsWith(SRC))
      .filter(({ functions }) => functions.some((one) => one.ranges.some(({ count }) => count > 0)))
      .map(({ url }) => url.slice(SRC.length))
      .sort()
  } finally {
    session.disconnect()
  }
}
