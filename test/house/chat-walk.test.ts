import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { after, before, test } from 'node:test'
import { startHouse } from '../support/house.ts'

const SRC = new URL('../../src/', import.meta.url).href
const MOST_FILES = 50

let house: Awaited<ReturnType<typeof startHouse>>
before(async () => {
  house = await startHouse()
})
after(() => house.close())

/**
 * A newcomer who follows one call reads so many files. Counted are the files of `src` of which a
 * function runs between the request and its answer, on a service that has answered before; what a
 * duty happens to run in that moment counts too, so the fewest of five calls is taken.
 */
test(`a whole chat call with a key crosses at most ${MOST_FILES} files`, async () => {
  const { key } = await house.customer()
  await chat(key)
  const walks: string[][] = []
  for (let i = 0; i < 5; i++) walks.push(await filesRunBy(() => chat(key)))
  const fewest = walks.sort((a, b) => a.length - b.length)[0]!
  assert.ok(
    fewest.some((file) => file.startsWith('gateway/')),
    fewest.join('\n'),
  )
  assert.ok(fewest.length <= MOST_FILES, `${fewest.length} files:\n${fewest.join('\n')}`)
})

let calls = 0

async function chat(key: string): Promise<void> {
  const answer = await fetch(`${house.url}/v1/chat/completions`, {
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
