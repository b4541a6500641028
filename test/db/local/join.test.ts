import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { useLocalServer } from '../../../src/db/local/join.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { allGone, ask, service, start, reported, withData } from './support.ts'

const use = (dataDir: string) => useLocalServer({ dataDir, connections: 20, log: silentLog })

test('a command uses the server of the running service, and leaves it running', async () => {
  const dataDir = await withData()
  const child = service(dataDir)
  // Not waited for: the command comes while the service is still starting.
  while (!existsSync(join(dataDir, 'lock.owner'))) await sleep(5)
  const joined = await use(dataDir)
  const server = await reported(child)
  assert.equal(joined.url, server.url)
  assert.deepEqual(await ask(joined.url, 'select answer from kept'), [{ answer: 42 }])
  await joined.stop()
  assert.equal((await ask(server.url, 'select 1')).length, 1)
  await child.end()
})

test('without a service a command has the server for its time, and commands take turns', async () => {
  const dataDir = await withData()
  const first = await use(dataDir)
  const second = use(dataDir)
  const third = start(dataDir)
  assert.deepEqual(await ask(first.url, 'select answer from kept'), [{ answer: 42 }])
  await first.stop()
  const [used, server] = await Promise.all([
    second.then(async (used) => {
      const rows = await ask(used.url, 'select answer from kept')
      await used.stop()
      return rows
    }),
    third,
  ])
  assert.deepEqual(used, [{ answer: 42 }])
  await server.stop()
  assert(await allGone(dataDir))
})
