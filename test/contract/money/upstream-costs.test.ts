import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { drawPng } from '../../../simulator/models/picture.ts'
import { wav } from '../../../simulator/models/sound.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { finish, piece, scriptedModel, usage } from '../../support/models/scripted-model.ts'
import { readStream, watchLeaving } from '../../support/stream-reader.ts'
import { eventually } from '../../support/eventually.ts'
import { noHolds } from '../../support/money/no-holds.ts'

/* What each call cost us, how that is known, and that no customer is told. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App
let asha: Awaited<ReturnType<App['customer']>>

before(async () => {
  app = await startApp({ upstream: { timeouts: { first_byte_ms: 5_000, idle_ms: 1_500 } } })
  asha = await app.customer('100000')
})
after(() => app.close())
afterEach(async () => {
  await noHolds(app)
  await assertAgreement(app.db)
})

type Row = {
  kind: string
  status: string
  upstream: string | null
  attempts: bigint | null
  first_byte_ms: bigint | null
  latency_ms: bigint
  upstream_cost_nusd: bigint | null
  cost_basis: string | null
  cost_micro: bigint
  waived_micro: bigint
}

/** What a call wrote. */
async function rowsOf(work: () => Promise<unknown>, { db }: App = app): Promise<Row[]> {
  const [known] = await db.query<{ n: bigint }>('select count(*) as n from activity_records')
  await work()
  await noHolds({ db })
  return db.query<Row>('select * from activity_records order by created_at, kind offset $1', [
    known!.n,
  ])
}

const call = (route: string, body: unknown, token = asha.key) =>
  app.call(`POST /v1/${route}`, { token, body })
const messages = [{ role: 'user', content: 'Habari' }]

/** As the simulated upstream noted them, in nano-dollars. */
function reportedNusd(): bigint {
  const usd = app.models.log.entries.reduce((sum, { cost }) => sum + (cost ?? 0), 0)
  return BigInt(Math.round(usd * 1e9))
}

const CALLS: [name: string, work: () => Promise<unknown>][] = [
  ['chat', () => call('chat/completions', { model: 'sim/hekima', messages })],
  ['chat', async () => (await readStream(app.url, asha.key, { model: 'sim/hekima' })).whole()],
  ['embeddings', () => call('embeddings', { model: 'sim/vekta', input: 'Habari' })],
  ['image', () => call('images/generations', { model: 'sim/picha', prompt: 'Simba' })],
  [
    'transcription',
    () =>
      call('audio/transcriptions', {
        model: 'sim/sikia',
        input_audio: { data: wav('Habari yako').toString('base64'), format: 'wav' },
      }),
  ],
  [
    'vision_analysis',
    () =>
      call('vision/analyze', {
        model: 'sim/macho',
        prompt: 'Eleza',
        image: { data: drawPng('x', 8, 8).toString('base64') },
      }),
  ],
]

for (const [kind, work] of CALLS) {
  test(`${kind}: what the upstream said is recorded, to the nano-dollar`, async () => {
    app.models.log.clear()
    const [row, ...more] = await rowsOf(work)
    assert.deepEqual(more, [])
    assert.equal(row?.kind, kind)
    assert.equal(row.status, 'completed')
    assert.deepEqual([row.upstream, row.attempts, row.cost_basis], ['sim', 1n, 'reported'])
    assert.equal(row.upstream_cost_nusd, reportedNusd())
    assert.ok(row.upstream_cost_nusd > 0n)
  })
}

test('a stream has the time of its first byte; what comes whole has none', async () => {
  const [whole] = await rowsOf(CALLS[0]![1])
  assert.equal(whole!.first_byte_ms, null)
  const [stream] = await rowsOf(CALLS[1]![1])
  assert.ok(stream!.first_byte_ms! <= stream!.latency_ms)
})

test('speech is by the list, since nothing is reported of it; a video as it is reported', async () => {
  const [speech] = await rowsOf(async () => {
    const answer = await fetch(`${app.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${asha.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim/sema', input: 'Habari' }),
    })
    await answer.arrayBuffer()
  })
  assert.deepEqual([speech!.kind, speech!.cost_basis, speech!.upstream], ['speech', 'list', 'sim'])
  app.models.log.clear()
  const [video] = await rowsOf(async () => {
    const wish = { model: 'sim/filamu', prompt: 'Simba', duration: 4, resolution: '720p' }
    const made = await call('videos', wish)
    const path = `GET /v1/videos/${made.body.data.job_id}`
    await eventually('the video is completed', async () => {
      const { status } = (await app.call(path, { token: asha.key })).body.data
      assert.ok(['pending', 'processing', 'completed'].includes(status), status)
      return status === 'completed'
    })
  })
  assert.deepEqual([video!.kind, video!.cost_basis, video!.upstream], ['video', 'reported', 'sim'])
  assert.ok(video!.upstream_cost_nusd! > 0n)
})

test('voice: each stage has its own', async () => {
  const audio_data = wav('Habari, naitwa Neema').toString('base64')
  const rows = await rowsOf(() => call('voice/responses', { audio_data, audio_format: 'wav' }))
  assert.equal(rows.length, 3)
  for (const row of rows) {
    assert.deepEqual([row.upstream, row.attempts], ['sim', 1n], row.kind)
    assert.ok(row.upstream_cost_nusd! > 0n, row.kind)
  }
})

test('voice that breaks off: what had run is not charged, and what it was worth is known', async () => {
  const audio_data = wav('Habari, naitwa Neema').toString('base64')
  const body = { audio_data, audio_format: 'wav', tts_model: 'sim/speech-fault-status-500' }
  const rows = await rowsOf(() => call('voice/responses', body))
  assert.deepEqual(
    rows
      .toSorted((a, b) => a.kind.localeCompare(b.kind))
      .map(({ kind, status, waived_micro: waived }) => [kind, status, waived > 0n]),
    [
      ['voice_speech', 'failed', false],
      ['voice_text', 'completed', true],
      ['voice_transcription', 'completed', true],
    ],
  )
  for (const row of rows) assert.equal(row.cost_micro, 0n)
  const ran = rows.filter(({ status }) => status === 'completed')
  assert.ok(ran.every((row) => row.upstream_cost_nusd! > 0n))
})

test('without a reported cost it is the list; without usage an estimate', async () => {
  for (const [fault, basis] of [
    ['cost-null', 'list'],
    ['usage-missing', 'estimated'],
  ]) {
    const model = `sim/fault-${fault}`
    const [row] = await rowsOf(() => call('chat/completions', { model, messages }))
    assert.deepEqual([row!.status, row!.cost_basis], ['completed', basis], fault)
    // 3,000 credits a dollar without any margin: a nano-dollar is 3 microcredits. Both are rounded up.
    const difference = row!.upstream_cost_nusd! * 3n - row!.cost_micro
    assert.ok(difference >= 0n && difference < 3n, `${fault}: ${difference}`)
  }
})

test('a call that fails names the upstream and costs nothing that we know of', async () => {
  const [row] = await rowsOf(() =>
    call('chat/completions', { model: 'sim/fault-status-500', messages }),
  )
  assert.equal(row!.status, 'failed')
  assert.deepEqual([row!.upstream, row!.upstream_cost_nusd, row!.waived_micro], ['sim', null, 0n])
  assert.ok(row!.attempts! >= 1n)
})

test('a reader who leaves: what was read is waived, and its cost is estimated', async () => {
  const model = await scriptedModel()
  const other = await startApp({ upstream: model.entry('openai') })
  try {
    const juma = await other.customer('1000000')
    const leaving = watchLeaving(other.rooms.server.http)
    const open = async () => {
      const reading = readStream(other.url, juma.key)
      const stream = await model.next()
      stream.send(piece('maji '.repeat(40)))
      const reader = await reading
      await reader.until('maji')
      return { stream, reader }
    }
    const [left] = await rowsOf(async () => {
      const { stream, reader } = await open()
      await leaving(reader)
      await stream.closed
      const { running } = other.rooms.server.context
      await eventually('nothing runs', () => running.count === 0)
    }, other)
    assert.deepEqual([left!.status, left!.cost_micro], ['cancelled', 0n])
    assert.deepEqual([left!.cost_basis, left!.upstream], ['estimated', 'sim'])
    const [counted] = await other.db.query<{ worth: bigint }>(
      'select sum(worth_micro)::int8 as worth from unpaid_work where account_id = $1',
      [juma.accountId],
    )
    assert.equal(left!.waived_micro, counted!.worth)
    assert.ok(left!.waived_micro > 0n && left!.upstream_cost_nusd! > 0n)

    const [broken] = await rowsOf(async () => {
      const { stream, reader } = await open()
      stream.reset()
      await reader.whole()
    }, other)
    assert.deepEqual([broken!.status, broken!.cost_micro], ['failed', 0n])
    assert.ok(broken!.waived_micro > 0n)

    const [paid] = await rowsOf(async () => {
      const { stream, reader } = await open()
      stream.send(finish(), usage(7))
      stream.done()
      await reader.whole()
    }, other)
    assert.deepEqual(
      [paid!.status, paid!.waived_micro, paid!.cost_basis],
      ['completed', 0n, 'list'],
    )
    await assertAgreement(other.db)
  } finally {
    await other.close()
    await model.close()
  }
})

test('no customer is told: not by the list, the sums, the CSV or the API document', async () => {
  const secret = /upstream|attempts|first_byte|nusd|cost_basis|waived|gift|uncollected/
  for (const path of [
    'activity',
    'activity/daily',
    'activity/summary?period=year',
    'activity.csv',
  ]) {
    const answer = await fetch(`${app.url}/v1/${path}`, {
      headers: { authorization: `Bearer ${asha.token}` },
    })
    assert.equal(answer.status, 200, path)
    const text = await answer.text()
    assert.ok(text.length > 20, path)
    // Codes of errors are older than this.
    assert.doesNotMatch(text.replaceAll(/upstream_(error|failed)/g, ''), secret, path)
  }
  const { body } = await app.call('GET /v1/activity', { token: asha.token })
  const names = new Set(body.data.flatMap((one: Loose) => Object.keys(one)))
  assert.deepEqual(
    [...names].filter((name) => secret.test(String(name))),
    [],
  )
})
