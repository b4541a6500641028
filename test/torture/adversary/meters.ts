import { chatOf, denseText } from './free-work.ts'
import { WISHES } from './metered/order.ts'
import { answered, askAs, inParallel, tagOf, type Strategy, type Thief } from './thief.ts'

const MESSAGES = 'POST /v1/messages'

/** Work whose tokens stand in the iterations alone, not at the top of the usage. */
const compaction: Strategy = {
  name: 'compaction in messages',
  weight: 2,
  async play(thief) {
    const edit = { type: 'compact_20260112', instructions: 'Write a novel of twenty chapters.' }
    const asked = thief.random.pick<object>([
      { context_management: { edits: [edit] } },
      { compaction: { type: 'summarize', instructions: edit.instructions } },
    ])
    const headers = { 'anthropic-beta': 'context-management-2025-06-27,compact-2026-01-12' }
    const body = messageOf(thief, this.name, { model: 'mita/hekaya', ...asked })
    return answered(await inParallel(4, () => askAs(thief, { endpoint: MESSAGES, body, headers })))
  },
}

/** What is at the top of the usage is a third of it. Nobody asked for the rest. */
const iterations: Strategy = {
  name: 'answers in several iterations',
  weight: 2,
  async play(thief) {
    const text = denseText(thief, thief.random.between(1_000, 20_000))
    const body = messageOf(thief, this.name, {
      model: 'mita/hatua',
      system: text,
      stream: thief.random.chance(0.5),
    })
    return answered([await askAs(thief, { endpoint: MESSAGES, body })])
  },
}

/** Written to the cache for an hour, at twice the price of a prompt. */
const cachedPrompts: Strategy = {
  name: 'prompts kept in the cache',
  weight: 2,
  async play(thief) {
    const ttl = thief.random.pick(['5m', '1h'])
    const text = `${tagOf(thief, this.name)} ${denseText(thief, thief.random.between(500, 8_000))}`
    const part = { type: 'text', text, cache_control: { type: 'ephemeral', ttl } }
    const stream = thief.random.chance(0.5)
    const messages = [{ role: 'user', content: [part] }]
    const body = { model: 'mita/hekaya', max_tokens: 10, stream, messages }
    const endpoint = thief.random.pick([MESSAGES, 'POST /v1/chat/completions'])
    return answered(await inParallel(6, () => askAs(thief, { endpoint, body })))
  },
}

/** Whatever spends beside tokens, or beyond the account, in each dialect. */
const spendingFields: Strategy = {
  name: 'fields that spend',
  weight: 3,
  async play(thief) {
    const call = thief.random.pick([messageThatSpends, chatThatSpends, responseThatSpends])
    return answered(await inParallel(4, () => askAs(thief, call(thief, this.name))))
  },
}

/** Every dialect with a model of every format, as honest callers use them and with long answers. */
const allDialects: Strategy = {
  name: 'all dialects and formats',
  weight: 3,
  async play(thief) {
    const { random } = thief
    const answers = await inParallel(8, () => {
      const model = random.pick(['mita/mjibu', 'mita/hekaya', 'mita/nyota'])
      const words = random.chance(0.5) ? WISHES.essay : denseText(thief, 2_000)
      const content = `${tagOf(thief, this.name)} ${words}`
      const messages = [{ role: 'user', content }]
      const stream = random.chance(0.5)
      const most = random.pick([20, 400, 16_000])
      return askAs(
        thief,
        random.pick([
          { endpoint: MESSAGES, body: { model, stream, messages, max_tokens: most } },
          {
            endpoint: 'POST /v1/chat/completions',
            body: { model, stream, messages, max_tokens: most },
          },
          {
            endpoint: 'POST /v1/responses',
            body: { model, stream, input: content, max_output_tokens: most, store: false },
          },
        ]),
      )
    })
    return answered(answers)
  },
}

export const METERS = [compaction, iterations, cachedPrompts, spendingFields, allDialects]

export function messageOf(thief: Thief, strategy: string, more: object): object {
  const content = tagOf(thief, strategy)
  return { max_tokens: 30, messages: [{ role: 'user', content }], ...more }
}

function messageThatSpends(thief: Thief, strategy: string) {
  const { random } = thief
  const tool = { name: 'sura', input_schema: { type: 'object' } }
  const content = tagOf(thief, strategy)
  const block = { type: 'tool_addition', tools: [{ type: 'web_search_20260209', name: 'tafuta' }] }
  const more = random.pick<object>([
    { messages: [{ role: 'user', content: [{ type: 'text', text: content }, block] }] },
    {
      messages: [
        { role: 'user', content },
        { role: 'system', content: [block] },
        { role: 'user', content },
      ],
    },
    { billing_policy: { overage: 'allow' } },
    { service_tier: 'auto', speed: 'fast' },
    { tools: [tool, { type: 'namespace', name: 'n', tools: [{ type: 'web_search', name: 't' }] }] },
    { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'n' }] },
    { preset: 'operator', container: 'cntr_1' },
    { system: denseText(thief, 250_000) },
  ])
  const beta = random.pick([
    'fallback-credit-2026-06-01',
    'context-1m-2025-08-07',
    'server-side-fallback-2026-01-01,fast-mode-2026-02-01',
    'code-execution-2025-08-25',
  ])
  const body = messageOf(thief, strategy, { model: 'mita/hekaya', ...more })
  return { endpoint: MESSAGES, body, headers: { 'anthropic-beta': beta } }
}

const CHAT_FIELDS: readonly object[] = [
  { web_search_options: { search_context_size: 'high' } },
  { search_parameters: { mode: 'on', max_search_results: 50 } },
  { enable_search: true },
  { plugins: [{ id: 'web' }] },
  { preset: 'operator' },
  { extra_body: { enable_search: true } },
  { service_tier: 'priority' },
  { tools: [{ type: 'function', function: { name: 'f' } }, { type: 'web_search' }] },
  { reasoning: { enabled: true, plugins: [{ id: 'web' }] } },
]

function chatThatSpends(thief: Thief, strategy: string) {
  const model = thief.random.pick(['mita/mjibu', 'mita/hekaya', 'mita/nyota'])
  const more = { model, max_tokens: 10, ...thief.random.pick(CHAT_FIELDS) }
  return { endpoint: 'POST /v1/chat/completions', body: chatOf(thief, strategy, more) }
}

const RESPONSE_FIELDS: readonly object[] = [
  { tools: [{ type: 'web_search' }] },
  { tools: [{ type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'web_search' }] }] },
  { background: true },
  { service_tier: 'priority' },
  { context_management: [{ type: 'compaction', compact_threshold: 1_000 }] },
  { search_parameters: { mode: 'on' } },
  { container: 'cntr_1' },
]

function responseThatSpends(thief: Thief, strategy: string) {
  const input = tagOf(thief, strategy)
  const more = { max_output_tokens: 20, store: false, ...thief.random.pick(RESPONSE_FIELDS) }
  return { endpoint: 'POST /v1/responses', body: { model: 'mita/mjibu', input, ...more } }
}
