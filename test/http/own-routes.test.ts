import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
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

test('security.txt names the operator’s contact, and is not there without one', async () => {
  const PUBLIC_URL = 'https://mlango.example'
  const settings = readConfig({ PUBLIC_URL, SECURITY_CONTACT: 'usalama@mlango.example' })
  const told = await startServer({ routes: [], settings })
  const response = await fetch(`${told.url}/.well-known/security.txt`)
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  const fields = (await response.text()).trimEnd().split('\n')
  const [contact, expires, languages, canonical, ...more] = fields
  assert.equal(contact, 'Contact: mailto:usalama@mlango.example')
  const days = (Date.parse(expires!.replace('Expires: ', '')) - Date.now()) / 86_400_000
  assert.ok(days > 170 && days < 365, expires)
  assert.equal(languages, 'Preferred-Languages: sw, en')
  assert.equal(canonical, `Canonical: ${PUBLIC_URL}/.well-known/security.txt`)
  assert.deepEqual(more, [])
  await told.close()
  const silent = await startServer({ routes: [] })
  assert.equal((await fetch(`${silent.url}/.well-known/security.txt`)).status, 404)
  await silent.close()
})
