import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { callCharge } from '../../../src/gateway/price/call-charge.ts'
import type { Fields } from '../../../src/lib/json.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { anthropic } from '../../../src/upstream/anthropic/provider.ts'
import { anthropicUsage } from '../../../src/upstream/anthropic/usage.ts'
import type { ChatReader, ChatRequest, SseEvent } from '../../../src/upstream/contract/contract.ts'
import type { UsageReading } from '../../../src/upstream/contract/usage.ts'
import { gemini } from '../../../src/upstream/gemini/provider.ts'
import { geminiUsage } from '../../../src/upstream/gemini/usage.ts'
import { openAiUsage } from '../../../src/upstream/openai/fields.ts'
import { openai } from '../../../src/upstream/openai/provider.ts'
import { measuredCall } from '../../support/models/priced-model.ts'

/*
 * Nothing that is reported and priced is lost: a report is put together from parts that have nothing
 * in common, and the charge must be the sum of these parts, each at its price.
 */

/** In millionths of a dollar; each has a price of its own, so that none passes for another. */
const PRICES = {
  prompt: 3,
  completion: 15,
  input_cache_read: 1,
  input_audio_cache: 7,
  input_cache_write: 4,
  input_cache_write_30m: 5,
  input_cache_write_1h: 6,
  input_cache_write_12h: 9,
  image_token: 8,
  audio: 11,
  image_output: 60,
  audio_output: 80,
  internal_reasoning: 20,
}
const DEAREST = 80
const MICRO_PER_MILLIONTH = 4_500

type Parts = Record<string, number>

type Format = {
  /** Each part of a report, and what one of it costs. */
  parts: Parts
  wire(parts: Parts): Fields
  read(raw: unknown): UsageReading
  reader(): ChatReader
  /** The events of a stream that tells these counts, one after the other. */
  events(raws: Fields[]): object[]
}

const sum = (parts: Parts, ...names: string[]) =>
  names.reduce((total, name) => total + parts[name]!, 0)

const OPEN_AI_PARTS = {
  text: PRICES.prompt,
  cached: PRICES.input_cache_read,
  cachedSound: PRICES.input_audio_cache,
  written: PRICES.input_cache_write,
  written30m: PRICES.input_cache_write_30m,
  written12h: PRICES.input_cache_write_12h,
  sound: PRICES.audio,
  pictures: PRICES.image_token,
  ofPrompt: DEAREST,
  said: PRICES.completion,
  wrong: PRICES.completion,
  thought: PRICES.internal_reasoning,
  spoken: PRICES.audio_output,
  drawn: PRICES.image_output,
  ofAnswer: DEAREST,
  beside: DEAREST,
  searches: DEAREST,
}

const OPEN_AI_WRITES = ['written', 'written30m', 'written12h']
const OPEN_AI_PROMPT = [
  ...OPEN_AI_WRITES,
  'text',
  'cached',
  'cachedSound',
  'sound',
  'pictures',
  'ofPrompt',
]
const OPEN_AI_ANSWER = ['said', 'wrong', 'thought', 'spoken', 'drawn', 'ofAnswer']

function openAiWire(names: Record<'prompt' | 'answer', string>) {
  return (parts: Parts): Fields => {
    return {
      [`${names.prompt}_tokens`]: sum(parts, ...OPEN_AI_PROMPT),
      [`${names.answer}_tokens`]: sum(parts, ...OPEN_AI_ANSWER),
      total_tokens: 7,
      [`${names.prompt}_tokens_details`]: {
        cached_tokens: sum(parts, 'cached', 'cachedSound'),
        cached_tokens_details: { text_tokens: parts.cached, audio_tokens: parts.cachedSound },
        cache_write_tokens: sum(parts, ...OPEN_AI_WRITES),
        cache_write_tokens_details: {
          ttl_30m_tokens: parts.written30m,
          ttl_12h_tokens: parts.written12h,
        },
        audio_tokens: sum(parts, 'sound', 'cachedSound'),
        image_tokens: parts.pictures,
        text_tokens: parts.text,
        hologram_tokens: parts.ofPrompt,
      },
      [`${names.answer}_tokens_details`]: {
        reasoning_tokens: parts.thought,
        audio_tokens: parts.spoken,
        image_tokens: parts.drawn,
        rejected_prediction_tokens: parts.wrong,
        hologram_tokens: parts.ofAnswer,
      },
      citation_tokens: parts.beside,
      server_tools: { searches: parts.searches },
      queue_time: 3,
    }
  }
}

const request: ChatRequest = {
  body: { messages: [{ role: 'user', content: 'Habari' }] },
  stream: true,
  ours: { id: 'chatcmpl-1', model: 'test/model', created: 5 },
  native: {
    dialect: 'messages',
    only: false,
    body: {},
    headers: {},
    ours: { id: 'msg_ours', model: 'test/model' },
  },
}
const target = { upstream: 'a', model: 'm' }

const chatEvents = (raws: Fields[]) =>
  raws.map((usage) => ({ choices: [{ index: 0, delta: { content: 'a' } }], usage }))

const messageEvents = ([first, ...later]: Fields[]) => [
  { type: 'message_start', message: { id: 'msg_1', usage: first } },
  ...later.map((usage) => ({ type: 'message_delta', delta: {}, usage })),
]

const ANTHROPIC_WRITES = ['written', 'written30m', 'written1h', 'written12h']

const ANTHROPIC: Omit<Format, 'reader'> = {
  parts: {
    input: PRICES.prompt,
    read: PRICES.input_cache_read,
    written: PRICES.input_cache_write,
    written30m: PRICES.input_cache_write_30m,
    written1h: PRICES.input_cache_write_1h,
    written12h: PRICES.input_cache_write_12h,
    output: PRICES.completion,
    thought: PRICES.internal_reasoning,
    summaryInput: PRICES.prompt,
    summaryRead: PRICES.input_cache_read,
    summaryWritten1h: PRICES.input_cache_write_1h,
    summaryOutput: PRICES.completion,
    searches: DEAREST,
  },
  wire(parts) {
    const said = {
      input_tokens: parts.input,
      cache_read_input_tokens: parts.read,
      cache_creation_input_tokens: sum(parts, ...ANTHROPIC_WRITES),
      cache_creation: {
        ephemeral_5m_input_tokens: parts.written,
        ephemeral_30m_input_tokens: parts.written30m,
        ephemeral_1h_input_tokens: parts.written1h,
        ephemeral_12h_input_tokens: parts.written12h,
      },
      output_tokens: sum(parts, 'output', 'thought'),
      output_tokens_details: { thinking_tokens: parts.thought },
    }
    const summary = {
      input_tokens: parts.summaryInput,
      cache_read_input_tokens: parts.summaryRead,
      cache_creation_input_tokens: parts.summaryWritten1h,
      cache_creation: { ephemeral_1h_input_tokens: parts.summaryWritten1h },
      output_tokens: parts.summaryOutput,
    }
    return {
      ...said,
      service_tier: 'standard',
      server_tool_use: { web_search_requests: parts.searches },
      iterations: [
        { type: 'compaction', ...summary },
        { type: 'message', ...said },
      ],
    }
  },
  read: anthropicUsage,
  events: messageEvents,
}

const GEMINI_PROMPT = ['text', 'film', 'sound', 'pictures', 'cached', 'cachedSound', 'ofPrompt']

const OPEN_AI = {
  parts: OPEN_AI_PARTS,
  wire: openAiWire({ prompt: 'prompt', answer: 'completion' }),
  read: openAiUsage,
}

const FORMATS: Record<string, Format> = {
  'OpenAI chat': {
    ...OPEN_AI,
    reader: () => openai.chat!.reader(request, target),
    events: chatEvents,
  },
  'OpenAI Responses': {
    ...OPEN_AI,
    wire: openAiWire({ prompt: 'input', answer: 'output' }),
    reader: () => openai.withResponses!.natively!('responses', target)!.reader(request, target),
    // It tells its counts once.
    events: (raws) => [
      { type: 'response.completed', response: { status: 'completed', usage: raws.at(-1) } },
    ],
  },
  Anthropic: { ...ANTHROPIC, reader: () => anthropic.chat!.reader(request, target) },
  'Anthropic as it is': {
    ...ANTHROPIC,
    reader: () => anthropic.natively!('messages', target)!.reader(request, target),
  },
  Gemini: {
    parts: {
      text: PRICES.prompt,
      film: PRICES.prompt,
      sound: PRICES.audio,
      pictures: PRICES.image_token,
      cached: PRICES.input_cache_read,
      cachedSound: PRICES.input_audio_cache,
      tools: PRICES.prompt,
      toolSound: PRICES.audio,
      ofPrompt: DEAREST,
      said: PRICES.completion,
      spoken: PRICES.audio_output,
      drawn: PRICES.image_output,
      thought: PRICES.internal_reasoning,
      beside: DEAREST,
    },
    wire: (parts) => ({
      promptTokenCount: sum(parts, ...GEMINI_PROMPT),
      cachedContentTokenCount: sum(parts, 'cached', 'cachedSound'),
      toolUsePromptTokenCount: sum(parts, 'tools', 'toolSound'),
      candidatesTokenCount: sum(parts, 'said', 'spoken', 'drawn'),
      thoughtsTokenCount: parts.thought,
      totalTokenCount: 7,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: sum(parts, 'text', 'cached') },
        { modality: 'VIDEO', tokenCount: parts.film },
        { modality: 'AUDIO', tokenCount: parts.sound },
        { modality: 'AUDIO', tokenCount: parts.cachedSound },
        { modality: 'IMAGE', tokenCount: parts.pictures },
        { modality: 'HOLOGRAM', tokenCount: parts.ofPrompt },
      ],
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: parts.cached },
        { modality: 'AUDIO', tokenCount: parts.cachedSound },
      ],
      toolUsePromptTokensDetails: [{ modality: 'AUDIO', tokenCount: parts.toolSound }],
      candidatesTokensDetails: [
        { modality: 'AUDIO', tokenCount: parts.spoken },
        { modality: 'IMAGE', tokenCount: parts.drawn },
      ],
      hologramTokenCount: parts.beside,
    }),
    read: geminiUsage,
    reader: () => gemini.chat!.reader(request, target),
    events: (raws) =>
      raws.map((usageMetadata) => ({
        candidates: [{ index: 0, content: { parts: [{ text: 'a' }] } }],
        usageMetadata,
      })),
  },
}

const list = Object.entries(PRICES).map(([name, millionths]) => [name, `${millionths}e-6`])
const charge = callCharge({
  ...measuredCall({ prices: Object.fromEntries(list), promptTokens: 10 }),
  log: silentLog,
})
const charged = (reading: UsageReading) => charge(reading, { outputBytes: 0 }).costMicro

const cost = ({ parts: prices }: Format, parts: Parts) =>
  Object.keys(prices).reduce(
    (all, name) => all + BigInt(parts[name]! * prices[name]! * MICRO_PER_MILLIONTH),
    0n,
  )

/** So few units that they are no more than what is believed. */
const anyParts = ({ parts }: Format) =>
  fc.record(
    Object.fromEntries(
      Object.keys(parts).map((name) => [name, fc.nat(name === 'searches' ? 5 : 5_000)]),
    ),
  )

const added = (a: Parts, b: Parts): Parts =>
  Object.fromEntries(Object.keys(b).map((name) => [name, (a[name] ?? 0) + b[name]!]))

/** Totals so far, as a stream tells them. */
function totals(steps: Parts[]): Parts[] {
  let so: Parts = {}
  return steps.map((step) => (so = added(so, step)))
}

function readEvents(reader: ChatReader, events: object[]): UsageReading {
  for (const event of events) {
    const { type } = event as { type?: string }
    const sse: SseEvent = { event: type, data: JSON.stringify(event) }
    reader.read(sse)
  }
  return reader.usage
}

const HALF = Symbol('half of it')
const HOSTILE = [HALF, -1, -5_000, 1e308, 2e9, 0, 0.5, '9', null, [], {}, 'NaN', true]

/** The same report, a few of its counts replaced by bad or smaller ones. */
function spoilt(raw: unknown, next: () => unknown): unknown {
  if (Array.isArray(raw)) return raw.map((one) => spoilt(one, next))
  if (typeof raw !== 'object' || raw === null) return raw
  return Object.fromEntries(
    Object.entries(raw).map(([name, one]) => {
      const bad = typeof one === 'string' ? undefined : next()
      if (bad === HALF) return [name, typeof one === 'number' ? Math.floor(one / 2) : one]
      return [name, bad === undefined ? spoilt(one, next) : bad]
    }),
  )
}

for (const [name, format] of Object.entries(FORMATS)) {
  test(`${name}: a whole answer is charged all that it reports`, () => {
    fc.assert(
      fc.property(anyParts(format), (parts) => {
        assert.equal(charged(format.read(format.wire(parts))), cost(format, parts))
      }),
    )
  })

  test(`${name}: a stream that is cut anywhere is charged all that was reported by then`, () => {
    const steps = fc.array(anyParts(format), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(steps, fc.nat(3), (each, cut) => {
        const told = totals(each).slice(0, cut + 1)
        const reading = readEvents(format.reader(), format.events(told.map(format.wire)))
        assert.equal(charged(reading), cost(format, told.at(-1)!))
      }),
    )
  })

  test(`${name}: nothing that made sense is lost to what follows it`, () => {
    const bad = fc.array(fc.option(fc.constantFrom(...HOSTILE), { nil: undefined, freq: 2 }))
    fc.assert(
      fc.property(anyParts(format), bad, fc.nat(2), (parts, values, repeated) => {
        const raw = format.wire(parts)
        let at = 0
        const next = () => (values.length === 0 ? undefined : values[at++ % values.length])
        const worse = spoilt(raw, next) as Fields
        const order = [raw, ...Array.from({ length: repeated }, () => raw), worse]
        if (name === 'OpenAI Responses') order.reverse()
        const reading = readEvents(format.reader(), format.events(order))
        assert.ok(charged(reading) >= cost(format, parts))
      }),
    )
  })
}
