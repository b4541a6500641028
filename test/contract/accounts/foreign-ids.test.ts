import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import { watch } from '../../support/money/paid.ts'

/* An upstream's id that cannot be a header: the answer is sent without it, and charged once. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp({ simulator: { faults: true } })
  asha = await app.customer('1000')
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(app.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${asha.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const messages = [{ role: 'user', content: 'Habari' }]
const FAULTS = ['id-break', 'id-nul', 'id-tick', 'id-long']

const calls: [string, (fault: string) => ReturnType<typeof post>][] = [
  ['a chat', (fault) => post('/v1/chat/completions', { model: `sim/fault-${fault}`, messages })],
  [
    'a stream',
    (fault) =>
      post('/v1/chat/completions', { model: `sim/fault-${fault}`, messages, stream: true }),
  ],
  [
    'a chat with a key',
    (fault) =>
      post(
        '/v1/chat/completions',
        { model: `sim/fault-${fault}`, messages },
        { 'idempotency-key': `key-${fault}` },
      ),
  ],
]
for (const [what, call] of calls) {
  for (const fault of FAULTS) {
    test(`${what} with ${fault}: 200, charged, and no such header`, async () => {
      const { result, records, spent } = await watch(app, asha.accountId).during(() => call(fault))
      assert.equal(result.status, 200, result.text)
      assert.equal(result.headers.get('x-generation-id'), null)
      assert.equal(result.headers.get('set-cookie'), null)
      assert.doesNotMatch(result.text, /stolen|gen-1|gen-999/)
      assert.ok(spent > 0)
      assert.deepEqual(
        records.map(({ status }) => status),
        ['completed'],
      )
    })
  }
}

test('embeddings with id-break: 200, charged, and no such header', async () => {
  const model = 'sim/embeddings-fault-id-break'
  const { result, spent } = await watch(app, asha.accountId).during(() =>
    post('/v1/embeddings', { model, input: 'Habari' }),
  )
  assert.equal(result.status, 200, result.text)
  assert.equal(result.headers.get('x-generation-id'), null)
  assert.ok(spent > 0)
})

test('a good id is still told', async () => {
  const { headers } = await post('/v1/chat/completions', { model: 'sim/hekima', messages })
  assert.match(headers.get('x-generation-id')!, /^gen-\d+-[0-9a-f]{20}$/)
})
