import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { certificateAge, examinePublicAddress } from '../../../src/cli/doctor/public-address.ts'
import { startApp } from '../../support/app.ts'
import { statesOf } from './states.ts'

let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  app = await startApp()
})
after(() => app.close())

test('an address that leads to the service, and its callbacks', async () => {
  const found = await examinePublicAddress(`${app.url}/`, ['snippe'])
  assert.deepEqual(statesOf(found), ['public address good', 'callbacks good'])
  assert.deepEqual(statesOf(await examinePublicAddress(undefined, [])), ['public address note'])
})

test('an address that leads elsewhere, and one where only a part is passed on', async () => {
  const other = createServer((request, response) => {
    response.writeHead(request.url === '/healthz' ? 200 : 404).end('{}')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  assert.deepEqual(statesOf(await examinePublicAddress(`${url}/below`, ['snippe'])), [
    'public address bad',
  ])
  assert.deepEqual(statesOf(await examinePublicAddress(url, ['snippe'])), [
    'public address good',
    'callbacks bad',
  ])
  other.closeAllConnections()
  other.close()
  await once(other, 'close')
  const [gone] = await examinePublicAddress(url, [])
  assert.equal(gone!.state, 'bad')
  assert.match(gone!.says, /does not answer/)
})

test('a certificate that ends within two weeks should have been renewed', () => {
  const day = 86_400_000
  assert.equal(certificateAge(60 * day, 0).state, 'good')
  assert.equal(certificateAge(13 * day, 0).state, 'bad')
  assert.equal(certificateAge(-day, 0).state, 'bad')
})
