import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Anthropic } from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { ANTHROPIC_UPSTREAM, CLAUDE_DOOR } from '../../support/models/claude-door.ts'
import { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'
import { watch } from '../../support/money/paid.ts'
import { RESPONSES_DOOR, RESPONSES_UPSTREAM } from '../../support/models/responses-door.ts'

/* The upstream goes on speaking: only our clock can end it. */
const TIMEOUTS = { total_ms: 3_000, first_byte_ms: 20_000, idle_ms: 20_000 }
const ENDLESS = { fault: 'endless-50', times: 1, model: 'sim/hekima' }
const WORDS = /^(neno ){2,}$/

type App = Awaited<ReturnType<typeof startApp>>

async function outlast(app: App, ask: (key: string) => Promise<Loose>): Promise<Loose> {
  // Rich: what an account can hardly pay for is watched, as a chat.
  const asha = await app.customer('1000000')
  app.models.fail(ENDLESS)
  const { result, spent, records } = await watch(app, asha.accountId).during(() => ask(asha.key))
  assert.ok(spent > 0)
  assert.deepEqual(
    records.map(({ status, estimated }) => [status, estimated]),
    [['completed', true]],
  )
  return result
}

test('a native message that outlasts our clock ends with max_tokens, and is paid for', async (t) => {
  const app = await startApp({ upstream: { ...ANTHROPIC_UPSTREAM, timeouts: TIMEOUTS } })
  t.after(() => app.close())
  const message = await outlast(app, (apiKey) =>
    new Anthropic({ baseURL: app.url, apiKey, maxRetries: 0 }).messages
      .stream({
        model: CLAUDE_DOOR.id,
        max_tokens: 1_000,
        messages: [{ role: 'user', content: 'Habari?' }],
      })
      .finalMessage(),
  )
  assert.equal(message.stop_reason, 'max_tokens')
  assert.match(message.content[0].text, WORDS)
  assert.ok(message.usage.output_tokens > 1)
})

test('a native response that outlasts our clock is incomplete, and is paid for', async (t) => {
  const app = await startApp({ upstream: { ...RESPONSES_UPSTREAM, timeouts: TIMEOUTS } })
  t.after(() => app.close())
  const response = await outlast(app, (apiKey) =>
    new OpenAI({ baseURL: `${app.url}/v1`, apiKey, maxRetries: 0 }).responses
      .stream({ model: RESPONSES_DOOR.id, input: 'Habari?' })
      .finalResponse(),
  )
  assert.equal(response.status, 'incomplete')
  assert.deepEqual(response.incomplete_details, { reason: 'max_output_tokens' })
  assert.match(response.output_text, WORDS)
  assert.equal(response.output[0].status, 'incomplete')
  assert.ok(response.usage.output_tokens > 1)
})
