import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { drainUpstream } from '../../../src/operators/drains.ts'
import { runCommand } from '../../../src/cli/commands.ts'
import { refused } from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { freshDatabase } from '../../support/databases.ts'
import { startApp } from '../../support/app.ts'
import { newOperator, type TestOperator } from '../../support/operators.ts'
import { readStream } from '../../support/stream-reader.ts'
import { eventually } from '../../support/eventually.ts'

/* How operators see upstreams and take them out of use, in two processes and after a restart. */

const MODEL = 'sim/hekima-mini'
const DRAIN = '/v1/operator/upstreams/sim/drain'

let databaseUrl: string
let app: Awaited<ReturnType<typeof startApp>>
let other: Awaited<ReturnType<typeof startApp>>
let owner: TestOperator
let asha: Awaited<ReturnType<typeof app.customer>>
before(async () => {
  databaseUrl = await freshDatabase()
  app = await startApp({ databaseUrl, simulator: { latency: { pieceMs: 60 } } })
  owner = await newOperator(app, 'owner')
  asha = await app.customer('100')
  other = await startApp({ databaseUrl })
})
after(async () => {
  await assertAudit(app.db)
  await other.close()
  await app.close()
})

const ask = (line: string, body?: object) =>
  app.call(line, { token: owner.token, ...(body && { body }) })

function talk({ call }: typeof app) {
  const messages = [{ role: 'user', content: 'Habari?' }]
  return call('POST /v1/chat/completions', {
    token: asha.key,
    body: { model: MODEL, messages, max_tokens: 5 },
  })
}

async function untilAnswered(one: typeof app, status: number) {
  return eventually(`it answers ${status}`, async () => {
    const answer = await talk(one)
    return answer.status === status && answer
  })
}

describe('draining', () => {
  it('200: no process begins anything there; what runs ends; it survives a restart', async () => {
    const stream = await readStream(app.url, asha.key, { model: MODEL, max_tokens: 40 })
    await stream.until('data: ')
    const answer = await ask(`POST ${DRAIN}`, { reason: 'its prices are wrong' })
    assert.deepEqual(answer.body.data, { name: 'sim', drained: true })
    for (const one of [app, other]) {
      const refusal = await untilAnswered(one, 503)
      assert.equal(refusal.body.error.code, 'upstream_unavailable')
      assert.ok(Number(refusal.headers.get('retry-after')) > 0)
    }
    await stream.until('[DONE]')
    const later = await startApp({ databaseUrl })
    assert.equal((await talk(later)).status, 503)
    await later.close()

    const [seen] = (await ask('GET /v1/operator/upstreams')).body.data
    assert.equal(seen.state, 'drained')
    assert.equal(seen.drained.reason, 'its prices are wrong')
    assert.equal(seen.drained.by, owner.email)
    assert.equal(seen.since, seen.drained.at)
    const matters = (await ask('GET /v1/operator/attention')).body.data
    assert.ok(matters.some((one: { kind: string }) => one.kind === 'upstream_drained'))
    const health = await app.call('GET /v1/gateway/health')
    assert.equal(health.body.data.healthy, false)

    await ask(`POST ${DRAIN}`, { reason: 'once more' })
    await ask(`DELETE ${DRAIN}`, { reason: 'put right' })
    await ask(`DELETE ${DRAIN}`, { reason: 'once more' })
    for (const one of [app, other]) await untilAnswered(one, 200)
    const actions = (await ask('GET /v1/operator/actions?target=sim')).body.data
    assert.deepEqual(
      actions.map((one: { action: string; reason: string }) => [one.action, one.reason]),
      [
        ['upstream.undrain', 'put right'],
        ['upstream.drain', 'its prices are wrong'],
      ],
    )
  })

  it('400 without a reason, 404 for an upstream that is not there', async () => {
    refused(await ask(`POST ${DRAIN}`, {}), 400, 'validation_error')
    refused(await ask(`DELETE ${DRAIN}`, {}), 400, 'validation_error')
    const wish = { reason: 'test' }
    refused(await ask('POST /v1/operator/upstreams/none/drain', wish), 404, 'not_found')
    refused(await ask('DELETE /v1/operator/upstreams/none/drain', wish), 404, 'not_found')
  })

  it('200: one that is no longer in the file can be undrained', async () => {
    const actor = { operatorId: null, role: 'owner', name: 'test' } as const
    await drainUpstream(app.db, actor, { upstream: 'gone', reason: 'test' })
    const gone = 'DELETE /v1/operator/upstreams/gone/drain'
    assert.equal((await ask(gone, { reason: 'test' })).status, 200)
    refused(await ask(gone, { reason: 'test' }), 404, 'not_found')
  })

  it('by command, in every process', async () => {
    const lines: string[] = []
    const run = (...args: string[]) =>
      runCommand(['upstreams', ...args], app.rooms, (line) => void lines.push(line))
    assert.equal(await run('drain', 'sim', '--reason', 'test', '--operator', 'neema'), 0)
    await untilAnswered(other, 503)
    assert.equal(await run('drain', 'sim'), 0)
    assert.equal(await run('list'), 0)
    assert.equal(await run('undrain', 'sim'), 0)
    await untilAnswered(other, 200)
    await untilAnswered(app, 200)
    assert.equal(await run('drain', 'none'), 1)
    assert.equal(await run('drain'), 2)
    assert.deepEqual(lines.slice(0, 2), ['sim is drained.', 'sim was drained already.'])
    assert.match(lines[2]!, /^sim {2}openrouter {2}calls=\d+ .* {2}DRAINED since \S+ by neema$/)
  })
})

describe('figures', () => {
  it('200: what a process counted is there for all when it has written it', async () => {
    const third = await startApp({ databaseUrl })
    const spoken = 5
    for (let i = 0; i < spoken; i++) assert.equal((await talk(third)).status, 200)
    third.models.fail({ fault: 'status-500', route: '/chat/completions', times: 1 })
    await talk(third)
    const sums = async () => {
      const minutes = (await ask('GET /v1/operator/upstreams/sim/minutes')).body.data
      const sum = (key: string) =>
        minutes.reduce((all: number, one: Record<string, number>) => all + one[key]!, 0)
      return { minutes, calls: sum('calls'), errors: sum('errors') }
    }
    const before = await sums()
    await third.close()
    const after = await sums()
    assert.ok(after.calls >= before.calls + spoken + 1, JSON.stringify([before, after]))
    assert.ok(after.errors > before.errors)
    assert.ok(after.minutes.at(-1).p50_ms > 0)
    const [{ last_hour: hour, state, key_trouble: trouble }] = (
      await ask('GET /v1/operator/upstreams')
    ).body.data
    assert.ok(hour.calls >= spoken && hour.errors >= 1 && hour.p95_ms >= hour.p50_ms)
    assert.deepEqual([state, trouble], ['up', undefined])
  })

  it('200: a key that is refused shows, and since when', async () => {
    const refusing = await startApp({ databaseUrl, upstream: { name: 'sim' } })
    // The probe of the start would find that the key works.
    await refusing.models.log.until({ route: '/key', outcome: 'finished' })
    refusing.models.fail({ fault: 'status-401', route: '/chat/completions', times: 1 })
    await talk(refusing)
    const { body } = await refusing.call('GET /v1/operator/upstreams', { token: owner.token })
    await refusing.close()
    const [seen] = body.data
    assert.deepEqual([seen.state, seen.key_trouble], ['down', 'key_refused'])
    assert.equal(seen.since, seen.troubles[0].since)
  })

  it('400: a span that is none or too long; 404: no such upstream', async () => {
    const at = '/v1/operator/upstreams/sim/minutes'
    const day = '2026-01-01T00:00:00Z'
    refused(await ask(`GET ${at}?from=${day}&to=${day}`), 400, 'validation_error')
    refused(await ask(`GET ${at}?from=${day}`), 400, 'validation_error')
    refused(await ask(`GET ${at}?from=yesterday`), 400, 'validation_error')
    refused(await ask('GET /v1/operator/upstreams/none/minutes'), 404, 'not_found')
  })
})
