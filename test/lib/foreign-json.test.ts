import { parseForeignJson } from '../../src/lib/json.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { cappedFetch } from '../../src/lib/http-json.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const listOf = (one: string, times: number) => `[${`${one},`.repeat(times)}1]`

describe('JSON of strangers', () => {
  it('is refused when it is nested too deeply, whatever its size and form', () => {
    for (const depth of [65, 40_000, 1_000_000]) {
      assert.throws(() => parseForeignJson(nested(depth)), /deeper than 64/)
      assert.throws(() => parseForeignJson(Buffer.from(nested(depth))), /deeper than 64/)
      assert.throws(() => parseForeignJson('{"a":'.repeat(depth)), /deeper than 64/)
    }
    assert.ok(parseForeignJson(nested(64)))
  })

  it('is parsed where only its texts have brackets', () => {
    const text = '[{'.repeat(50_000)
    assert.deepEqual(parseForeignJson(JSON.stringify({ text })), { text })
    assert.deepEqual(parseForeignJson(Buffer.from('\ufeff{"a":1}')), { a: 1 })
  })

  it('may have many numbers, and not so many other values', () => {
    assert.ok(parseForeignJson(listOf('0.5', 1_000_000)))
    assert.throws(() => parseForeignJson(listOf('0', 2_000_001)), /JSON values/)
    assert.throws(() => parseForeignJson(listOf('{}', 500_001)), /JSON values/)
  })
})

describe('what libraries fetch', () => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(ANSWERS[request.url!])
  })
  const ANSWERS: Record<string, string> = {
    '/keys': '{"keys":[]}',
    '/page': '<html>',
    '/deep': nested(70_000),
    '/large': JSON.stringify('x'.repeat(300_000)),
  }
  before(() => once(server.listen(0), 'listening'))
  after(() => server.close())
  const get = (path: string) =>
    cappedFetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {})

  it('is as it was sent, JSON or not', async () => {
    const keys = await get('/keys')
    assert.deepEqual([keys.status, await keys.json()], [200, { keys: [] }])
    assert.equal(await (await get('/page')).text(), '<html>')
  })

  it('is refused when it is too large or nested too deeply', async () => {
    await assert.rejects(get('/deep'), { code: 'answer_too_large' })
    await assert.rejects(get('/large'), { code: 'answer_too_large' })
  })
})

/** Files that parse only what we wrote ourselves, or have parsed and checked before. */
const OURS = [
  // Chunks and events as a reader of a stream wrote or passed them, which `eventFields` has checked.
  'gateway/chat/answer-parts.ts',
  'gateway/chat/completion-text.ts',
  'gateway/chat/gather.ts',
  'gateway/chat/half-calls.ts',
  'gateway/chat/tools/custom-calls.ts',
  'gateway/chat/watched-stream.ts',
  'gateway/messages/form.ts',
  'gateway/responses/answer/events.ts',
  'gateway/responses/answer/native-events.ts',
  'upstream/openai/chunk-template.ts',
  // Rows of ours.
  'gateway/bill/doubtful-charges.ts',
  'gateway/responses/background/run.ts',
  'gateway/responses/background/show.ts',
  'gateway/responses/stored/history.ts',
  'gateway/responses/stored/kept.ts',
  'gateway/responses/stored/stored-responses.ts',
  'gateway/videos/submission.ts',
  'routes/operator/webhook-deliveries.ts',
  // Files and keys of the operator.
  'accounts/credentials/signing-keys.ts',
  'app/providers.ts',
  'db/backup/archive-reader.ts',
  'db/local/binaries.ts',
  'db/local/library-links.ts',
  'main.ts',
  'web/bundle.ts',
  'web/price-table.ts',
  // Those that check, and a copy of what was parsed.
  'lib/json.ts',
  'lib/long-json.ts',
  'lib/storable.ts',
]

describe('the source', () => {
  const src = new URL('../../src/', import.meta.url)
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const parsing = files.filter((file) => {
    const code = readFileSync(new URL(file, src), 'utf8').replaceAll(/`JSON\.parse`/g, '')
    return /JSON\.parse\b|\.json\(\)/.test(code)
  })

  it('parses nothing of a stranger past the check', () => {
    assert.deepEqual(parsing.sort(), OURS.toSorted())
  })
})
