import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { insertRecords, moveWorkspace } from '../../../src/activity/activity-store.ts'
import type { ActivityRecord } from '../../../src/activity/record.ts'
import type { Db } from '../../../src/db/db.ts'
import { activityRoutes } from '../../../src/routes/activity.ts'
import { sample, ZONE } from '../../activity/sample.ts'
import { freshDb } from '../../support/databases.ts'
import type { Loose } from '../../support/loose.ts'
import { jwtHeaders, KEY_ACCOUNT, keyHeaders, startServer } from '../../support/server.ts'

/* The list, the sums by day and the CSV select alike: what one shows, the others add up to. */

const NOW = new Date('2026-11-15T09:00:00Z')
const [home, shop, closed] = [randomUUID(), randomUUID(), randomUUID()]
const [keyA, keyB] = [randomUUID(), randomUUID()]
const DAY_MS = 86_400_000
const FORMULA = '=HYPERLINK("http://evil.example","x")'

/** Deterministic, over 100 days: each filter selects some and leaves out others. */
const records: ActivityRecord[] = Array.from({ length: 1_200 }, (_, i) =>
  sample({
    accountId: KEY_ACCOUNT,
    createdAt: new Date(NOW.getTime() - Math.floor((i * 100 * DAY_MS) / 1_200)),
    kind: (['chat', 'image', 'speech'] as const)[i % 3]!,
    model: ['acme/small', 'acme/large', 'acme/voice', FORMULA][i % 4]!,
    status: i % 5 === 0 ? 'failed' : 'completed',
    costMicro: i % 5 === 0 ? 0n : BigInt(i) * 1_001n,
    totalTokens: i % 2 === 0 ? undefined : i,
    workspaceId: [home, shop, closed, undefined][i % 4],
    keyId: [keyA, keyB, undefined][i % 3],
    requestId: `req_${i >> 1}`,
  }),
)

let db: Db
let app: Awaited<ReturnType<typeof startServer>>
before(async () => {
  db = await freshDb()
  const foreign = sample({ createdAt: NOW, keyId: keyA, workspaceId: shop, requestId: 'req_0' })
  await insertRecords(db, [...records, foreign], ZONE)
  await moveWorkspace(db, { accountId: KEY_ACCOUNT, fromId: closed, toId: home })
  const routes = activityRoutes({ db, clock: { now: () => NOW }, timeZone: ZONE })
  app = await startServer({ routes })
})
after(async () => {
  await app.close()
  await db.close()
})

async function get(path: string, headers: Record<string, string> = jwtHeaders) {
  const response = await fetch(app.url + path, { headers })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json ? JSON.parse(text) : undefined,
  }
}

/** Reads CSV as a spreadsheet would. */
function readCsv(text: string): Record<string, string>[] {
  const [head, ...rows] = text.trimEnd().split('\r\n')
  const cells = (line: string) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(,|$)/g)]
      .slice(0, head!.split(',').length)
      .map(([, cell]) => (cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!))
  return rows.map((row) =>
    Object.fromEntries(head!.split(',').map((name, i) => [name, cells(row)[i]!])),
  )
}

const micro = (credits: number | string) => Math.round(Number(credits) * 1e6)
const sum = (all: number[]) => all.reduce((a, b) => a + b, 0)

const PERIOD = 'from=2026-09-01&to=2026-11-15'
const FILTERS = [
  PERIOD,
  `${PERIOD}&kind=image`,
  `${PERIOD}&key_id=${keyA.toUpperCase()}`,
  `${PERIOD}&status=failed`,
  `${PERIOD}&model=${encodeURIComponent(FORMULA)}`,
  `${PERIOD}&workspace_id=${home}`,
  `${PERIOD}&workspace_id=${closed}`,
  `${PERIOD}&workspace_id=${shop}&key_id=${keyB}&kind=image&status=completed`,
  `${PERIOD}&request_id=req_7`,
  'from=2026-11-14T21:00:00Z&to=2026-11-15T09:00:00.001Z',
  'from=2026-10-20&to=2026-11-01&zone=America/New_York',
]

describe('the list, the sums by day and the CSV', () => {
  for (const filter of FILTERS) {
    it(`agree: ${filter.slice(0, 90)}`, async () => {
      const list = await get(`/v1/activity?${filter}&limit=200`)
      assert.equal(list.status, 200, list.text)
      const daily = await get(`/v1/activity/daily?${filter}`)
      assert.equal(daily.status, 200, daily.text)
      const csv = readCsv((await get(`/v1/activity.csv?${filter}`)).text)
      const { total, days } = daily.body.data
      assert.equal(total.requests, list.body.pagination.total)
      assert.equal(csv.length, total.requests)
      assert.equal(sum(csv.map((row) => micro(row.cost_credits!))), micro(total.cost_credits))
      assert.equal(sum(days.map((day: Loose) => day.requests)), total.requests)
      assert.equal(
        sum(days.map((day: Loose) => micro(day.cost_credits))),
        micro(total.cost_credits),
      )
      const first = list.body.data.map((record: Loose) => record.id)
      assert.deepEqual(
        csv.slice(0, first.length).map((row) => row.id),
        first,
      )
      assert.deepEqual(list.body.period, { from: daily.body.data.from, to: daily.body.data.to })
    })
  }

  it('agree with the records themselves', async () => {
    const { body } = await get(`/v1/activity/daily?${PERIOD}&kind=image&group=key`)
    const wanted = records.filter(
      ({ createdAt, kind }) => kind === 'image' && createdAt >= new Date('2026-08-31T21:00:00Z'),
    )
    const cost = wanted.reduce((all, { costMicro }) => all + costMicro, 0n)
    assert.ok(wanted.length > 100)
    assert.equal(body.data.total.requests, wanted.length)
    assert.equal(micro(body.data.total.cost_credits), Number(cost))
    assert.equal(
      body.data.total.total_tokens,
      sum(wanted.map(({ totalTokens }) => totalTokens ?? 15)),
    )
    assert.deepEqual(
      body.data.groups.map((group: Loose) => group.id),
      [keyB],
    )
  })

  it('a workspace that was deleted counts where it went', async () => {
    const { body } = await get(`/v1/activity/daily?${PERIOD}&group=workspace`)
    const ids = body.data.groups.map((group: Loose) => group.id)
    assert.deepEqual(new Set(ids), new Set([home, shop, null]))
    const away = await get(`/v1/activity?${PERIOD}&workspace_id=${closed}`)
    assert.equal(away.body.pagination.total, 0)
  })
})

describe('GET /v1/activity/daily', () => {
  it('200: days are cut at midnight of the zone, and days without a call are there', async () => {
    const accountId = KEY_ACCOUNT.slice(0, -1) + '3'
    const late = ['2026-11-12T20:59:59.999Z', '2026-11-12T21:00:00.000Z']
    const calls = late.map((at) => sample({ accountId, createdAt: new Date(at) }))
    await insertRecords(db, calls, ZONE)
    const ask = async (query: string) => {
      const headers = { authorization: 'Bearer jwt-3' }
      const { body } = await get(
        `/v1/activity/daily?from=2026-11-11&to=2026-11-13${query}`,
        headers,
      )
      return body.data.days.map((day: Loose) => [day.day, day.requests])
    }
    assert.deepEqual(await ask(''), [
      ['2026-11-11', 0],
      ['2026-11-12', 1],
      ['2026-11-13', 1],
    ])
    const utc = [
      ['2026-11-11', 0],
      ['2026-11-12', 2],
      ['2026-11-13', 0],
    ]
    assert.deepEqual(await ask('&zone=UTC'), utc)
  })

  it('200: fourteen days up to now by default, in the zone of the service', async () => {
    const { body } = await get('/v1/activity/daily')
    const { zone, from, days } = body.data
    assert.deepEqual([zone, from, days.length], [ZONE, '2026-11-01T21:00:00.000Z', 14])
    assert.equal(days.at(-1).day, '2026-11-15')
    assert.equal('groups' in body.data, false)
  })

  it('200: another account has nothing of it', async () => {
    const { body } = await get('/v1/activity/daily', { authorization: 'Bearer jwt-2' })
    assert.equal(body.data.total.requests, 0)
  })

  const wrong: [field: string, query: string][] = [
    ['from', 'from=2026-02-30'],
    ['from', 'from=yesterday'],
    ['from', 'from=0001-01-01&to=0001-01-02'],
    ['from', 'from=2026-11-15&to=2026-11-14'],
    ['from', 'from=2026-01-01&to=2026-11-14'],
    ['from', 'from=2026-11-01&from=2026-11-02'],
    ['to', 'to=2026-11-15T25:00:00Z'],
    ['zone', 'zone=%2B03:00'],
    ['zone', 'zone=Mars/Olympus'],
    ['group', 'group=day'],
    ['kind', 'kind=poetry'],
    ['key_id', 'key_id=x'],
    ['request_id', 'request_id='],
  ]
  for (const [field, query] of wrong) {
    it(`400 names ${field}: ${query}`, async () => {
      const routes = field === 'group' ? ['/daily'] : ['', '/daily', '.csv']
      for (const path of routes) {
        const { status, body } = await get(`/v1/activity${path}?${query}`)
        assert.equal(status, 400, path)
        assert.match(body.message, new RegExp(`^${field} `))
      }
    })
  }
})

describe('an account that asks for much at once', () => {
  it('has one connection at a time; another account is not kept waiting', async () => {
    let running = 0
    let most = 0
    const counting: Db = {
      ...db,
      begin: (work) => db.begin(work),
      query: (sql, params) => db.query(sql, params),
      async read(sql, params) {
        if ((params?.[0] as string) !== KEY_ACCOUNT) return db.read(sql, params)
        most = Math.max(most, (running += 1))
        try {
          return await db.read(sql, params)
        } finally {
          running -= 1
        }
      },
    }
    const routes = activityRoutes({ db: counting, clock: { now: () => NOW }, timeZone: ZONE })
    const service = await startServer({ routes })
    const ask = (path: string, headers: Record<string, string>) =>
      fetch(service.url + path, { headers }).then(async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      })
    const paths = ['/v1/activity/daily', '/v1/activity?kind=chat', '/v1/activity.csv']
    const all = Array.from({ length: 30 }, (_, i) => ask(paths[i % 3]!, jwtHeaders))
    assert.equal(await ask('/v1/activity/daily', { authorization: 'Bearer jwt-2' }), 200)
    assert.deepEqual(new Set(await Promise.all(all)), new Set([200]))
    assert.equal(most, 1)
    await service.close()
  })
})

describe('GET /v1/activity.csv', () => {
  it('200: a file whose cells no spreadsheet runs', async () => {
    const { status, headers, text } = await get(`/v1/activity.csv?${PERIOD}`)
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.match(headers.get('content-disposition')!, /attachment/)
    const rows = readCsv(text)
    assert.ok(rows.some(({ model }) => model === `'${FORMULA}`))
    for (const row of rows) {
      for (const cell of Object.values(row)) assert.doesNotMatch(cell, /^[=+\-@\t\r]/)
    }
    assert.match(rows[0]!.time!, /^2026-11-15T12:00:00\.000\+03:00$/)
  })

  it('401 without a session, 403 with an API key, 429 beyond ten a minute', async () => {
    for (const path of ['/v1/activity.csv', '/v1/activity/daily']) {
      assert.equal((await get(path, {})).status, 401)
      assert.equal((await get(path, keyHeaders)).status, 403)
    }
  })
})
