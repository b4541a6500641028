import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { migratedDatabase } from '../support/databases.ts'
import { startApp } from '../support/app.ts'
import { startTestServer, type TestServer } from '../support/local-server.ts'
import { eventually } from '../support/eventually.ts'

let server: TestServer
let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  server = await startTestServer()
  app = await startApp({ databaseUrl: await migratedDatabase(server.url) })
})
after(async () => {
  await app.close()
  await server.stop()
})

type Reply = { status: string; data?: unknown; message?: string; error_code?: string }

async function readyz() {
  const response = await fetch(`${app.url}/readyz`)
  return { response, status: response.status, reply: (await response.json()) as Reply }
}

/** Waits for the answer, not for a time: an earlier answer is remembered for a moment. */
async function answersWith(status: number) {
  return eventually(`it answers ${status}`, async () => {
    const found = await readyz()
    return found.status === status && found
  })
}

test('200: a process that can serve calls, without a credential', async () => {
  const { status, reply } = await readyz()
  assert.equal(status, 200)
  assert.deepEqual(reply.data, { ready: true })
})

test('503: without the database, by name and not by address; then 200 again, with no restart', async () => {
  await server.halt('fast')
  const { response, reply } = await answersWith(503)
  assert.equal(reply.message, 'Not ready: the database does not answer.')
  assert.ok(Number(response.headers.get('retry-after')) > 0)
  assert.doesNotMatch(JSON.stringify(reply), /127\.0\.0\.1|socket|postgres|sim/i)
  assert.equal((await fetch(`${app.url}/healthz`)).status, 200, 'the process is alive')
  await server.resume()
  await answersWith(200)
})

test('503: without models, although the database answers', async () => {
  await app.db.query('update catalog_models set disabled_at = now()')
  await app.rooms.catalog.reload()
  const { reply } = await answersWith(503)
  assert.equal(reply.message, 'Not ready: the catalog has no models yet.')
})
