import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drain } from '../../src/http/drain.ts'
import { startServer } from '../support/server.ts'

test('readyz names every part that is missing, and healthz does not care', async () => {
  let missing = ['database', 'catalog']
  const service = await startServer({ routes: [], missing: async () => missing })
  const response = await fetch(`${service.url}/readyz`)
  assert.equal(response.status, 503)
  const { message } = (await response.json()) as { message: string }
  assert.equal(message, 'Not ready: the database does not answer, the catalog has no models yet.')
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  missing = []
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
  await service.close()
})

test('readyz answers 503 as soon as the process drains', async () => {
  const asked = Promise.withResolvers<void>()
  const looking = Promise.withResolvers<string[]>()
  const service = await startServer({
    routes: [],
    missing: () => {
      asked.resolve()
      return looking.promise
    },
  })
  const answer = fetch(`${service.url}/readyz`)
  await asked.promise
  const drained = drain(service.server)
  looking.resolve([])
  const response = await answer
  assert.equal(response.status, 503)
  assert.match(await response.text(), /Not ready: the process is stopping\./)
  await drained
})
