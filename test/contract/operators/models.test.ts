import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refused } from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { freshDatabase } from '../../support/databases.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'
import { eventually } from '../../support/eventually.ts'

/* What operators do with models and prices, seen by customers of two processes. */

const MODEL = 'sim/hekima-mini'
const OTHER = 'sim/hekima'
const AT = `/v1/operator/models/${encodeURIComponent(MODEL)}`

let app: Awaited<ReturnType<typeof startApp>>
let other: Awaited<ReturnType<typeof startApp>>
let owner: TestOperator
let second: TestOperator
let asha: Awaited<ReturnType<typeof app.customer>>
before(async () => {
  const databaseUrl = await freshDatabase()
  app = await startApp({ databaseUrl })
  owner = await newOperator(app, 'owner')
  second = await newOperator(app, 'owner')
  asha = await app.customer('100')
  other = await startApp({ databaseUrl })
})
after(async () => {
  await assertAudit(app.db)
  await other.close()
  await app.close()
})

const ask = (line: string, body?: unknown) =>
  app.call(line, { token: owner.token, ...(body === undefined ? {} : { body }) })
/** By a second owner. */
async function confirmed({ body }: Awaited<ReturnType<typeof ask>>) {
  const decision = { approve: true, reason: 'checked' }
  const path = `POST /v1/operator/requests/${body.data.request_id}/decision`
  const done = await app.call(path, { token: second.token, body: decision })
  assert.equal(done.body.data?.outcome, 'done', JSON.stringify(done.body))
}
const change = (more: object) =>
  ask(`PATCH /v1/operator/models/${MODEL}`, { reason: 'test', ...more })

async function shownPrice({ call }: typeof app, id = MODEL): Promise<number> {
  const { body } = await call(`GET /v1/models/${id}`, { token: asha.key })
  return body.data.pricing_credits.prompt as number
}

/** Until both processes show it. */
async function untilShown(price: number, id = MODEL): Promise<void> {
  for (const one of [app, other]) {
    await eventually(
      'the price is shown',
      async () => Math.abs((await shownPrice(one, id)) - price) < price * 1e-9,
    )
  }
}

async function chargedFor({ call }: typeof app): Promise<number> {
  const messages = [{ role: 'user', content: 'Habari ya asubuhi' }]
  const body = { model: MODEL, messages, max_tokens: 20, temperature: 0 }
  const answer = await call('POST /v1/chat/completions', { token: asha.key, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { prompt_tokens: sent, completion_tokens: said } = answer.body.usage
  const { body: model } = await call(`GET /v1/models/${MODEL}`, { token: asha.key })
  const { prompt, completion } = model.data.pricing_credits
  const charged = Number(answer.headers.get('x-credits-charged'))
  assert.ok(Math.abs(charged - (sent * prompt + said * completion)) < 0.000_002)
  return charged
}

const lastActions = async (action: string) =>
  (await ask(`GET /v1/operator/actions?action=${action}`)).body.data

describe('margins', () => {
  it('200: of a model: what is shown and what is charged follow, in every process', async () => {
    const usual = await shownPrice(app)
    const cost = await chargedFor(app)
    const answer = await change({ margin: 2.5 })
    assert.deepEqual(answer.body.data, { id: MODEL, margin: '2.5' })
    await untilShown(usual * 2.5)
    assert.ok((await chargedFor(other)) > cost * 2)
    const listed = (await ask('GET /v1/operator/models')).body.data.find(
      ({ id }: { id: string }) => id === MODEL,
    )
    assert.equal(listed.margin, '2.5')
    assert.equal(listed.offers[0].margin, '2.5')
    const [event] = await lastActions('model.margin')
    assert.deepEqual(
      [event.target, event.reason, event.before, event.after],
      [{ type: 'model', id: MODEL }, 'test', { margin: null }, { margin: '2.5', prices: 1 }],
    )
    await change({ margin: null })
    await untilShown(usual)
  })

  it('200: of a modality, for models without one of their own; and the next reading keeps both', async () => {
    const usual = await shownPrice(app)
    await change({ margin: '3' })
    await untilShown(usual * 3)
    const answer = await ask('PATCH /v1/operator/margins/text', { margin: '1.5', reason: 'test' })
    assert.ok(answer.body.data.prices_changed > 1, JSON.stringify(answer.body))
    const { body } = await ask('GET /v1/operator/margins')
    assert.equal(body.data.house, '1.0')
    const text = body.data.modalities.find((one: { modality: string }) => one.modality === 'text')
    assert.equal(text.margin, '1.5')
    const synced = await ask('POST /v1/operator/catalog/sync', { reason: 'test' })
    assert.equal(synced.body.data.priced, 0, JSON.stringify(synced.body))
    assert.ok(Math.abs((await shownPrice(app)) - usual * 3) < usual * 1e-9)
    await change({ margin: null })
    await untilShown(usual * 1.5)
    await ask('PATCH /v1/operator/margins/text', { margin: null, reason: 'test' })
    await untilShown(usual)
    assert.equal((await lastActions('modality.margin')).length, 2)
  })

  it('below cost, or far from the margin of a day ago, it waits for a second owner', async () => {
    const usual = await shownPrice(app)
    // Sold to one's own account at a hundredth, and back: nobody does that alone, nor in steps.
    for (const margin of ['0.01', '0.99', '3.01']) {
      const asked = await change({ margin })
      assert.deepEqual(Object.keys(asked.body.data), ['id', 'request_id'], margin)
    }
    assert.equal((await change({ margin: '3' })).body.data.margin, '3')
    assert.equal((await change({ margin: '4' })).body.data.margin, undefined)
    const all = await ask('PATCH /v1/operator/margins/text', { margin: 0.5, reason: 'test' })
    assert.deepEqual([all.body.data.margin, all.body.data.prices_changed], [undefined, 0])
    await untilShown(usual * 3)
    await change({ margin: null })
    const cheap = await change({ margin: '0.5', enabled: true })
    await untilShown(usual)
    await confirmed(cheap)
    await untilShown(usual * 0.5)
    const [event] = await lastActions('model.margin_approve')
    assert.deepEqual(event.after, {
      margin: '0.5',
      prices: 1,
      asked_by: owner.email,
      approval: 'checked',
    })
    assert.equal(event.operator.name, second.email)
    // Back to where it was a day ago is no bold step.
    assert.equal((await change({ margin: null })).body.data.margin, null)
    await untilShown(usual)
  })

  it('409: what is confirmed are the prices that were asked for, not others that wait by then', async () => {
    const known = app.models.models.get(OTHER)!
    const listed = async (times: number) => {
      const old = known.pricing as Record<string, string>
      const prompt = String(Number(old.prompt) * times)
      for (const one of [app, other]) {
        one.models.models.set(OTHER, { ...known, pricing: { ...old, prompt } })
      }
      await ask('POST /v1/operator/catalog/sync', { reason: 'a new list' })
    }
    await listed(10)
    const asked = await ask('POST /v1/operator/prices/approval', { ids: [OTHER], reason: 'test' })
    await listed(1_000)
    const path = `POST /v1/operator/requests/${asked.body.data.request_id}/decision`
    const body = { approve: true, reason: 'checked' }
    refused(await app.call(path, { token: second.token, body }), 409, 'conflict')
    await listed(1)
  })

  it('400: a margin that is none; a change of nothing; no reason. 404: nothing of this name', async () => {
    for (const margin of [0, '0', -1, '1e9', 'free', '0.0000001', 101, true, [], '']) {
      const answer = await change({ margin })
      refused(answer, 400, 'validation_error')
      assert.match(answer.body.message, /margin/)
      refused(
        await ask('PATCH /v1/operator/margins/text', { margin, reason: 'test' }),
        400,
        'validation_error',
      )
    }
    assert.match((await change({})).body.message, /enabled/)
    refused(await change({ margin: 2, reason: undefined }), 400, 'validation_error')
    const nobody = { margin: 2, reason: 'test' }
    refused(await ask('PATCH /v1/operator/models/no/such', nobody), 404, 'not_found')
    refused(await ask('PATCH /v1/operator/margins/smell', nobody), 404, 'not_found')
  })
})

describe('on and off', () => {
  it('200: off, no process serves it; on again', async () => {
    const status = async ({ call }: typeof app) =>
      (await call(`GET /v1/models/${MODEL}`, { token: asha.key })).status
    assert.deepEqual((await change({ enabled: false })).body.data, { id: MODEL, enabled: false })
    for (const one of [app, other])
      await eventually('it is gone', async () => (await status(one)) === 404)
    await change({ enabled: true })
    for (const one of [app, other])
      await eventually('it is back', async () => (await status(one)) === 200)
    const [event] = await lastActions('model.enable')
    assert.deepEqual([event.before, event.after], [{ enabled: false }, { enabled: true }])
  })
})

describe('prices', () => {
  it('200: a leap waits, old and new side by side; approved, it is charged and in the history', async () => {
    const usual = await shownPrice(app)
    const known = app.models.models.get(MODEL)!
    const old = known.pricing as Record<string, string>
    const dear = { ...old, prompt: String(Number(old.prompt) * 10) }
    for (const one of [app, other]) one.models.models.set(MODEL, { ...known, pricing: dear })
    const synced = await ask('POST /v1/operator/catalog/sync', { reason: 'a new list' })
    assert.deepEqual([synced.body.data.waiting, synced.body.data.failed], [1, []])
    const [sync] = await lastActions('catalog.sync')
    assert.deepEqual([sync.reason, sync.after.waiting], ['a new list', 1])
    const waiting = (await ask('GET /v1/operator/prices/waiting')).body.data
    assert.equal(waiting.length, 1)
    const prompt = waiting[0].prices.find((one: { name: string }) => one.name === 'prompt')
    assert.ok(Math.abs(prompt.old_credits - usual) < usual * 1e-9, JSON.stringify(prompt))
    assert.ok(Math.abs(prompt.new_credits - usual * 10) < usual * 1e-8)
    assert.deepEqual(
      [Number(prompt.old_usd), Number(prompt.new_usd)],
      [Number(old.prompt), Number(dear.prompt)],
    )
    const approval = { ids: [MODEL], reason: 'test' }
    const asked = await ask('POST /v1/operator/prices/approval', approval)
    assert.deepEqual(asked.body.data.approved, [])
    assert.ok(Math.abs((await shownPrice(app)) - usual) < usual * 1e-9)
    await confirmed(asked)
    await untilShown(usual * 10)
    await chargedFor(other)

    const history = (await ask(`GET ${AT}/prices`)).body.data
    assert.equal(history[0].reason, 'approved')
    assert.equal(history[0].operator, `${owner.email}, approved by ${second.email}`)
    assert.deepEqual(
      history.map((one: { in_force: boolean }) => one.in_force),
      history.map((_: unknown, i: number) => i === 0),
    )
    assert.equal(history.at(-1).reason, 'first')
    const older = await ask(`GET ${AT}/prices?limit=1&before=${history[0].id}`)
    assert.deepEqual(older.body.data, history.slice(1, 2))
    refused(await ask(`GET ${AT}/prices?before=x`), 400, 'validation_error')
    refused(await ask('GET /v1/operator/models/none/prices'), 404, 'not_found')
  })

  it('409: another process is reading the lists', async () => {
    const lease = (until: string) => app.db.query(`update catalog_sync set lease_until = ${until}`)
    await lease(`now() + interval '1 minute'`)
    refused(await ask('POST /v1/operator/catalog/sync', { reason: 'test' }), 409, 'conflict')
    await lease('null')
  })
})
