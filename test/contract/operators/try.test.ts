import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { withAuditLog } from '../../../src/operators/audit-log.ts'
import { runCommand } from '../../../src/cli/commands.ts'
import { refused } from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'

/* Trying a model at the operator's own cost: small, counted, written down, and charged to nobody. */

const MODEL = 'sim/hekima-mini'

let app: Awaited<ReturnType<typeof startApp>>
let support: TestOperator
before(async () => {
  app = await startApp()
  support = await newOperator(app, 'support')
})
after(async () => {
  await assertAudit(app.db)
  await app.close()
})

const tryModel = (id: string, body: object = {}, { token } = support) =>
  app.call(`POST /v1/operator/models/${encodeURIComponent(id)}/try`, {
    token,
    body: { prompt: 'Habari?', ...body },
  })

async function actionsOf(operator: TestOperator, action: string) {
  const query = `operator=${operator.accountId}&action=${action}`
  return (await app.call(`GET /v1/operator/actions?${query}`, { token: operator.token })).body.data
}

describe('200', () => {
  it('says what came back, from where, how long it took and what it cost; charges nobody', async () => {
    const entries = () => app.db.query('select count(*)::int4 as n from ledger_entries')
    const before = await entries()
    const answer = await tryModel(MODEL, { reason: 'a customer complains' })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { text, upstream, latency_ms: latency, usage, cost } = answer.body.data
    assert.ok(text.length > 0)
    assert.equal(upstream, 'sim')
    assert.ok(latency >= 0)
    assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0)
    assert.ok(Number(cost.usd) > 0)
    assert.deepEqual(await entries(), before)
    assert.deepEqual(await app.db.query('select 1 from holds'), [])
    const [asked] = await actionsOf(support, 'model.try')
    assert.deepEqual(
      [asked.target.id, asked.reason, asked.after],
      [MODEL, 'a customer complains', { upstream: null, prompt_characters: 7 }],
    )
    const [tried] = await actionsOf(support, 'model.tried')
    assert.deepEqual([tried.after.upstream, tried.after.cost_usd], ['sim', cost.usd])
  })

  it('a model that is switched off, by name of the upstream too, and by a command', async () => {
    await app.db.query('update catalog_models set disabled_at = now() where id = $1', [MODEL])
    await app.rooms.catalog.reload()
    const { key } = await app.customer('10')
    const messages = [{ role: 'user', content: 'Habari?' }]
    const call = { token: key, body: { model: MODEL, messages } }
    assert.equal((await app.call('POST /v1/chat/completions', call)).status, 404)
    const operator = await newOperator(app, 'owner')
    const answer = await tryModel(MODEL, { upstream: 'sim' }, operator)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    assert.equal(await runCommand(['models', 'try', MODEL], app.rooms, print), 0)
    assert.match(lines.at(-1)!, /^sim: \d+ ms, \d+ tokens in, \d+ out, USD 0\.\d+ \(\w+\)\.$/)
    await app.db.query('update catalog_models set disabled_at = null where id = $1', [MODEL])
    await app.rooms.catalog.reload()
  })

  it('asks for a short answer, whatever the model could say', async () => {
    const operator = await newOperator(app, 'support')
    const answer = await tryModel(MODEL, { prompt: 'x '.repeat(400) }, operator)
    assert.ok(answer.body.data.usage.completion_tokens <= 256)
    const sent = app.models.log.entries.at(-1)!
    assert.equal((sent.body as { max_tokens: number }).max_tokens, 256)
  })
})

describe('refused', () => {
  it('404, 400: what cannot be tried, and what is no question', async () => {
    const operator = await newOperator(app, 'support')
    refused(await tryModel('sim/none', {}, operator), 404, 'not_found')
    refused(await tryModel('sim/picha-mazungumzo', {}, operator), 400, 'invalid_request_error')
    refused(await tryModel(MODEL, { upstream: 'none' }, operator), 400, 'validation_error')
    const another = await newOperator(app, 'support')
    for (const prompt of ['', '   ', 'x'.repeat(1_001), 7]) {
      const answer = await tryModel(MODEL, { prompt }, another)
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, /prompt/)
    }
    const failures = await actionsOf(operator, 'model.tried')
    assert.deepEqual(
      failures.map((one: { after: { failed?: string } }) => typeof one.after.failed),
      ['string', 'string', 'string'],
    )
  })

  it('502: what the upstream fails with, written down', async () => {
    const operator = await newOperator(app, 'support')
    app.models.fail({ fault: 'status-500', route: '/chat/completions', times: 1 })
    const answer = await tryModel(MODEL, {}, operator)
    app.models.heal()
    assert.ok(answer.status === 502 || answer.status === 503, String(answer.status))
    const [tried] = await actionsOf(operator, 'model.tried')
    assert.ok(tried.after.failed)
  })

  it('429: more than a few in a minute', async () => {
    const operator = await newOperator(app, 'support')
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => tryModel(MODEL, {}, operator)),
    )
    const limited = answers.filter(({ status }) => status === 429)
    assert.ok(limited.length > 0)
    refused(limited[0]!, 429, 'rate_limited')
  })

  it('429: more than fifty within a day, before anything is asked', async () => {
    const operator = await newOperator(app, 'support')
    const actor = { operatorId: operator.accountId, role: 'support', name: 'test' } as const
    const target = { type: 'model', id: MODEL }
    for (let i = 0; i < 50; i++) {
      await withAuditLog(app.db, actor, (_tx, record) => record({ action: 'model.try', target }))
    }
    const questions = () => app.models.log.count({ route: '/chat/completions' })
    const asked = questions()
    const answer = await tryModel(MODEL, {}, operator)
    refused(answer, 429, 'rate_limited')
    assert.match(answer.body.message, /50 times a day/)
    assert.equal(questions(), asked)
  })
})
