import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { assertAudit } from '../../support/money/audit.ts'

/* A finished Idempotency-Key is replayed whatever the body is now, and costs nothing again. */

let app: Awaited<ReturnType<typeof startApp>>
let asha: Awaited<ReturnType<typeof app.customer>>
before(async () => {
  app = await startApp()
  asha = await app.customer('100000')
})
after(() => app.close())

const messages = [{ role: 'user', content: 'Habari' }]
const CALLS: [string, Loose][] = [
  ['POST /v1/chat/completions', { model: 'sim/hekima', messages }],
  ['POST /v1/messages', { model: 'sim/hekima', max_tokens: 5, messages }],
  ['POST /v1/responses', { model: 'sim/hekima', input: 'Habari' }],
  ['POST /v1/embeddings', { model: 'sim/vekta', input: 'Habari' }],
  ['POST /v1/images/generations', { model: 'sim/picha', prompt: 'Nyumba' }],
  ['POST /v1/videos', { model: 'sim/filamu', prompt: 'Nyumba', duration: 4 }],
]
const balance = async () =>
  (await app.call('GET /v1/billing/balance', { token: asha.key })).body.data.balance_credits

async function ask(line: string, key: string, body: unknown) {
  const headers = { 'idempotency-key': key }
  return app.call(line, { token: asha.key, body, headers })
}

for (const [line, body] of CALLS) {
  test(`${line}: the first answer again for a body that would be refused; 409 elsewhere`, async () => {
    const first = await ask(line, line, body)
    assert.ok(first.status < 300, JSON.stringify(first.body))
    const paid = await balance()
    for (const wrong of [{}, { ...body, model: 7 }, { ...body, model: 'no/such' }, '{"model":']) {
      const again = await ask(line, line, wrong)
      assert.deepEqual(again.body, first.body)
      assert.equal(again.status, first.status)
      assert.equal(again.headers.get('idempotency-replayed'), 'true')
    }
    // A film is paid for when it is ready.
    if (!line.includes('video')) assert.equal(await balance(), paid)
    const elsewhere = CALLS.find(([other]) => other !== line)![0]
    const refused = await ask(elsewhere, line, {})
    assert.equal(refused.status, 409, JSON.stringify(refused.body))
    assert.equal(refused.headers.get('x-should-retry'), 'false')
    const fresh = await ask(line, `${line} once more`, {})
    assert.equal(fresh.status, 400, 'a refused body takes no key')
    assert.ok((await ask(line, `${line} once more`, body)).status < 300)
  })
}

test('the books balance', () => assertAudit(app.db))
