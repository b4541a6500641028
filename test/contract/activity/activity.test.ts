import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { insertRecords } from '../../../src/activity/activity-store.ts'
import type { ActivityRecord } from '../../../src/activity/record.ts'
import type { Db } from '../../../src/db/db.ts'
import { activityRoutes } from '../../../src/routes/activity.ts'
import { sample, ZONE } from '../../activity/sample.ts'
import { freshDb } from '../../support/databases.ts'
import { KEY_ACCOUNT, jwtHeaders, keyHeaders, startServer } from '../../support/server.ts'
import type { Loose } from '../../support/loose.ts'
import { naughtyStrings } from '../../support/samples/naughty.ts'

const NOW = new Date('2026-11-15T09:00:00Z')
const workspaceId = randomUUID()
const foreignWorkspaceId = randomUUID()

const at = (text: string) => new Date(text)
const mine = (fields: Partial<ActivityRecord>) => sample({ accountId: KEY_ACCOUNT, ...fields })
const records = [
  mine({ createdAt: at('2026-11-15T08:00:00.123Z'), workspaceId, keyId: randomUUID() }),
  mine({
    createdAt: at('2026-11-14T20:59:59.999Z'),
    model: 'acme/voice',
    kind: 'voice_speech',
    costMicro: 2_500_001n,
    promptTokens: undefined,
    completionTokens: undefined,
    totalTokens: undefined,
    uncollectedMicro: 5n,
    estimated: true,
  }),
  mine({ createdAt: at('2026-11-10T10:00:00Z'), status: 'failed', errorCode: 'upstream_error' }),
  mine({ createdAt: at('2026-02-01T10:00:00Z'), status: 'cancelled', workspaceId }),
]

let db: Db
let app: Awaited<ReturnType<typeof startServer>>
before(async () => {
  db = await freshDb()
  const foreign = sample({ createdAt: NOW, workspaceId: foreignWorkspaceId })
  await insertRecords(db, [...records, foreign], ZONE)
  const routes = activityRoutes({ db, clock: { now: () => NOW }, timeZone: ZONE })
  app = await startServer({ routes })
})
after(async () => {
  await app.close()
  await db.close()
})

async function get(path: string, headers: Record<string, string> = jwtHeaders) {
  const response = await fetch(app.url + path, { headers })
  return { response, status: response.status, body: (await response.json()) as Loose }
}

const ids = (body: Loose) => body.data.map((record: Loose) => record.id)

describe('GET /v1/activity', () => {
  it('200: the records, newest first, with what is unset left out', async () => {
    const { response, status, body } = await get('/v1/activity')
    assert.equal(status, 200)
    assert.equal(body.status, 'success')
    assert.equal(body.code, 200)
    assert.equal(body.request_id, response.headers.get('x-request-id'))
    assert.deepEqual(body.pagination, { limit: 50, offset: 0, total: 4, has_more: false })
    assert.deepEqual(
      ids(body),
      records.map((record) => record.id),
    )
    assert.deepEqual(body.data.slice(0, 3), [
      {
        id: records[0]!.id,
        workspace_id: workspaceId,
        key_id: records[0]!.keyId,
        request_id: 'req_sample',
        kind: 'chat',
        model: 'acme/small',
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        cost_credits: 0.0015,
        latency_ms: 120,
        status: 'completed',
        estimated: false,
        created_at: '2026-11-15T08:00:00.123Z',
      },
      {
        id: records[1]!.id,
        request_id: 'req_sample',
        kind: 'voice_speech',
        model: 'acme/voice',
        cost_credits: 2.500001,
        latency_ms: 120,
        status: 'completed',
        estimated: true,
        created_at: '2026-11-14T20:59:59.999Z',
      },
      {
        id: records[2]!.id,
        request_id: 'req_sample',
        kind: 'chat',
        model: 'acme/small',
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        cost_credits: 0,
        latency_ms: 120,
        status: 'failed',
        error_code: 'upstream_error',
        estimated: false,
        created_at: '2026-11-10T10:00:00.000Z',
      },
    ])
  })

  it('200: filters alone and together, with ids in upper or lower case', async () => {
    const found = async (query: string) => ids((await get(`/v1/activity?${query}`)).body)
    const [first, second, third, fourth] = records.map((record) => record.id)
    assert.deepEqual(await found(`workspace_id=${workspaceId}`), [first, fourth])
    assert.deepEqual(await found(`workspace_id=${workspaceId.toUpperCase()}`), [first, fourth])
    assert.deepEqual(await found('model=acme%2Fsmall'), [first, third, fourth])
    assert.deepEqual(await found('model=acme/voice'), [second])
    assert.deepEqual(await found('status=failed'), [third])
    assert.deepEqual(await found(`workspace_id=${workspaceId}&model=acme/small&status=cancelled`), [
      fourth,
    ])
    assert.deepEqual(await found('model=acme/voice&status=failed'), [])
  })

  it('200: pages by offset and by cursor', async () => {
    const { body } = await get('/v1/activity?limit=1&offset=1')
    assert.deepEqual(ids(body), [records[1]!.id])
    assert.deepEqual(body.pagination, { limit: 1, offset: 1, total: 4, has_more: true })
    const older = await get(`/v1/activity?limit=2&before=${records[1]!.id}`)
    assert.deepEqual(ids(older.body), [records[2]!.id, records[3]!.id])
    assert.equal(older.body.pagination.has_more, false)
    assert.deepEqual((await get('/v1/activity?offset=1000000')).body.data, [])
  })

  it("200 and empty: another account's workspace, an unknown record, another caller", async () => {
    for (const query of [`workspace_id=${foreignWorkspaceId}`, `before=${randomUUID()}`]) {
      const { status, body } = await get(`/v1/activity?${query}`)
      assert.equal(status, 200)
      assert.deepEqual(body.data, [])
    }
    const other = await get('/v1/activity', { authorization: 'Bearer jwt-2' })
    assert.deepEqual(other.body.data, [])
    assert.equal(other.body.pagination.total, 0)
  })

  it('200 and empty: a model is matched exactly, whatever characters it has', async () => {
    const odd = ['%', '_', 'acme/%', "' or '1'='1", '\\', 'ACME/SMALL', 'acme/small ']
    const naughty = naughtyStrings.filter((text) => text !== '' && !text.includes('\0'))
    for (const model of [...odd, ...naughty]) {
      const { status, body } = await get(`/v1/activity?model=${encode(model)}`)
      assert.equal(status, 200, model)
      assert.deepEqual(body.data, [], model)
    }
  })

  const wrong: [field: string, values: string[]][] = [
    ['limit', ['-1', '0', '201', '1e9', '1000000000', '1.5', 'x', '', '0x10', '5&limit=6']],
    ['offset', ['-1', '1e15', '1000001', '999999999999999', 'x', '', ' 1', '1&offset=2']],
    ['status', ['unknown', 'Completed', '', 'completed,failed', 'completed&status=failed']],
    ['workspace_id', ['x', '', '123', `${workspaceId}x`, `{${workspaceId}}`]],
    ['model', ['', 'a&model=b']],
    ['before', ['x', '', '0']],
  ]
  for (const [field, values] of wrong) {
    it(`400: a bad ${field} is named`, async () => {
      for (const value of values) {
        const { status, body } = await get(`/v1/activity?${field}=${value}`)
        assert.equal(status, 400, value)
        assert.equal(body.error_code, 'validation_error', value)
        assert.match(body.message, new RegExp(field), value)
      }
    })
  }

  it('400: a NUL, which the database cannot store in text', async () => {
    for (const field of ['model', 'workspace_id', 'status', 'limit']) {
      const { status, body } = await get(`/v1/activity?${field}=a%00b`)
      assert.equal(status, 400, field)
      assert.equal(body.error_code, 'validation_error', field)
    }
  })

  it('401 without a session, 403 with an API key', async () => {
    const missing = await get('/v1/activity', {})
    assert.equal(missing.status, 401)
    assert.equal(missing.body.error_code, 'unauthorized')
    assert.equal(missing.response.headers.get('www-authenticate'), 'Bearer')
    const key = await get('/v1/activity', keyHeaders)
    assert.equal(key.status, 403)
    assert.equal(key.body.error_code, 'forbidden')
  })
})

describe('GET /v1/activity/summary', () => {
  const small = { model: 'acme/small', total_tokens: 15, total_cost_credits: 0.0015 }
  const voice = { model: 'acme/voice', total_tokens: 0, total_cost_credits: 2.500001 }

  it('200: the month by default, most expensive model first', async () => {
    const { status, body } = await get('/v1/activity/summary')
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      total_requests: 3,
      total_tokens: 30,
      total_cost_credits: 2.501501,
      period_start: '2026-10-31T21:00:00.000Z',
      period_end: '2026-11-30T21:00:00.000Z',
      by_model: [
        { ...voice, request_count: 1 },
        { ...small, total_tokens: 30, request_count: 2 },
      ],
    })
    assert.deepEqual((await get('/v1/activity/summary?period=month')).body.data, body.data)
  })

  it('200: today, week and year', async () => {
    const of = async (period: string) =>
      (await get(`/v1/activity/summary?period=${period}`)).body.data
    assert.deepEqual(await of('today'), {
      total_requests: 1,
      total_tokens: 15,
      total_cost_credits: 0.0015,
      period_start: '2026-11-14T21:00:00.000Z',
      period_end: '2026-11-15T21:00:00.000Z',
      by_model: [{ ...small, request_count: 1 }],
    })
    assert.equal((await of('week')).total_requests, 3)
    assert.equal((await of('year')).total_requests, 4)
  })

  it('200: zeros for an account without calls', async () => {
    const { body } = await get('/v1/activity/summary', { authorization: 'Bearer jwt-3' })
    assert.equal(body.data.total_requests, 0)
    assert.equal(body.data.total_cost_credits, 0)
    assert.deepEqual(body.data.by_model, [])
  })

  it('400: a bad period is named', async () => {
    for (const period of ['day', '', 'MONTH', 'month&period=year']) {
      const { status, body } = await get(`/v1/activity/summary?period=${period}`)
      assert.equal(status, 400, period)
      assert.equal(body.error_code, 'validation_error')
      assert.match(body.message, /period/)
    }
  })

  it('401 without a session, 403 with an API key', async () => {
    assert.equal((await get('/v1/activity/summary', {})).status, 401)
    assert.equal((await get('/v1/activity/summary', keyHeaders)).status, 403)
  })
})

/** Lone surrogates cannot be percent-encoded; the wire would not carry them. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed())
