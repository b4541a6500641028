import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp()
  asha = await app.customer('100')
})
after(async () => {
  await assertAgreement(app.db)
  await app.close()
})

const get = async (path: string, token = asha.token) => {
  const answer = await app.call(`GET ${path}`, { token })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const chat = async (token: string, model: string) => {
  const body = { model, messages: [{ role: 'user', content: 'Habari?' }] }
  const answer = await app.call('POST /v1/chat/completions', { token, body })
  return { status: answer.status, charged: Number(answer.headers.get('x-credits-charged')) }
}

it('follows real calls through a workspace, its deletion, and the summary', async () => {
  const made = await app.call('POST /v1/workspaces', {
    token: asha.token,
    body: { name: 'Duka', slug: 'duka' },
  })
  const shop = made.body.data.id as string
  const minted = await app.call('POST /v1/api-keys', {
    token: asha.token,
    body: { name: 'duka', workspace_slug: 'duka' },
  })
  const shopKey = minted.body.data.key as string
  const bySession = await chat(asha.token, 'sim/hekima-mini')
  const byShop = await chat(shopKey, 'sim/hekima')
  assert.deepEqual([bySession.status, byShop.status], [200, 200])

  const inShop = await get(`/v1/activity?workspace_id=${shop}`)
  assert.deepEqual(
    inShop.data.map((one: Loose) => one.cost_credits),
    [byShop.charged],
  )
  const all = await get('/v1/activity')
  assert.deepEqual(
    all.data.map((one: Loose) => [one.model, one.workspace_id]),
    [
      ['sim/hekima', shop],
      ['sim/hekima-mini', undefined],
    ],
  )

  const gone = await app.call('DELETE /v1/workspaces/duka', { token: asha.token })
  assert.equal(gone.status, 200)
  const home = (await get('/v1/workspaces')).data[0].id as string
  assert.deepEqual((await get(`/v1/activity?workspace_id=${shop}`)).data, [])
  const inHome = await get(`/v1/activity?workspace_id=${home}`)
  assert.deepEqual(
    inHome.data.map((one: Loose) => one.id),
    [all.data[0].id],
  )
  assert.equal(inHome.data[0].workspace_id, home)
  // Its key lives on in the default workspace, and so do the records of what it does next.
  const after = await chat(shopKey, 'sim/hekima')
  assert.equal((await get(`/v1/activity?workspace_id=${home}`)).pagination.total, 2)

  const { data } = await get('/v1/activity/summary?period=year')
  assert.equal(data.total_requests, 3)
  const total = bySession.charged + byShop.charged + after.charged
  assert.equal(Math.round(data.total_cost_credits * 1e6), Math.round(total * 1e6))
  assert.deepEqual(
    data.by_model.map((one: Loose) => one.model),
    ['sim/hekima', 'sim/hekima-mini'],
  )
})

it("shows only the account's own records, and requires a session", async () => {
  const juma = await app.customer('100')
  const theirs = await get('/v1/activity', juma.token)
  assert.deepEqual(theirs.data, [])
  assert.equal((await app.call('GET /v1/activity', { token: juma.key })).status, 403)
  assert.equal((await app.call('GET /v1/activity')).status, 401)
  assert.equal((await app.call('GET /v1/activity/summary', { token: juma.key })).status, 403)
})
