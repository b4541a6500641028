import type { ClientAnswer } from '../load/client.ts'
import { GREEDY_MODELS, VECTORS } from './models.ts'
import { askAs, inParallel, tagOf, type Strategy, type Thief } from './thief.ts'

const QUICK = GREEDY_MODELS.filter(({ slowMs }) => slowMs === undefined)
const CHAT = 'POST /v1/chat/completions'

/** A long prompt where nobody used to look for one. */
const hiddenPrompts: Strategy = {
  name: 'prompts in other fields',
  weight: 2,
  async play(thief) {
    const { random } = thief
    const text = denseText(thief, random.between(20_000, 200_000))
    const hidden = random.pick<Record<string, unknown>>([
      { functions: [{ name: 'f', description: text }] },
      { response_format: { type: 'json_schema', json_schema: { name: 's', description: text } } },
      { prediction: { type: 'content', content: text } },
      { notes_of_nobody: text },
      { messages: [{ role: 'assistant', function_call: { name: 'f', arguments: text } }] },
    ])
    return reached(await parallelChats(thief, this.name, { max_tokens: 5, ...hidden }))
  },
}

/** Many calls at once on one balance, with no limit, a tiny one or a huge one. */
const parallelCalls: Strategy = {
  name: 'parallel calls',
  weight: 6,
  async play(thief) {
    const { random } = thief
    const body = {
      model: random.pick(QUICK).id,
      stream: random.chance(0.5),
      ...random.pick<object>([
        {},
        { max_tokens: 1_000_000 },
        { max_completion_tokens: 16_000 },
        { max_tokens: 1, max_completion_tokens: 16_000 },
        { n: 4 },
        { reasoning: { max_tokens: 30_000 } },
      ]),
    }
    return reached(await parallelChats(thief, this.name, body))
  },
}

/** Emoji and numbers: more tokens than their bytes suggest. */
const densePrompts: Strategy = {
  name: 'dense prompts',
  weight: 2,
  async play(thief) {
    const content = denseText(thief, thief.random.between(2_000, 30_000))
    const messages = [{ role: 'user', content }]
    return reached(await parallelChats(thief, this.name, { messages, max_tokens: 1 }))
  },
}

const denseVectors: Strategy = {
  name: 'dense vectors',
  weight: 1,
  async play(thief) {
    const input = `${tagOf(thief, this.name)} ${denseText(thief, 60_000)}`
    const body = { model: VECTORS.id, input }
    const call = { endpoint: 'POST /v1/embeddings', body }
    return reached(await inParallel(10, () => askAs(thief, call)))
  },
}

/** Answers that nobody waits for: the upstream works, and the caller is gone. */
const leftWhole: Strategy = {
  name: 'whole answers left',
  weight: 1,
  async play(thief) {
    const answers = await inParallel(6, () => {
      const signal = AbortSignal.timeout(thief.random.between(50, 400))
      return askAs(thief, {
        endpoint: CHAT,
        body: chatOf(thief, this.name, {
          model: 'mlafi/maneno',
          max_tokens: 300,
          stream: thief.random.chance(0.3),
        }),
        signal,
      })
    })
    return answers.some(({ left, status }) => left || status === 402)
  },
}

/** So long a stream that the gateway's own clock ends it: delivered, and then called a failure. */
const beyondTheClock: Strategy = {
  name: 'answers beyond the clock',
  weight: 1,
  async play(thief) {
    const body = chatOf(thief, this.name, {
      model: 'mlafi/pole',
      max_tokens: 1_500,
      stream: true,
    })
    const answers = await inParallel(7, () => askAs(thief, { endpoint: CHAT, body }))
    return answers.some(({ status }) => status > 0)
  },
}

export const FREE_WORK = [
  beyondTheClock,
  hiddenPrompts,
  parallelCalls,
  densePrompts,
  denseVectors,
  leftWhole,
]

export function chatOf(thief: Thief, strategy: string, more: Record<string, unknown>): object {
  const messages = Array.isArray(more.messages) ? more.messages : []
  return {
    model: 'mlafi/wastani',
    ...more,
    messages: [{ role: 'user', content: tagOf(thief, strategy) }, ...messages],
  }
}

function parallelChats(thief: Thief, strategy: string, more: Record<string, unknown>) {
  const body = chatOf(thief, strategy, more)
  return inParallel(thief.random.between(10, 20), () => askAs(thief, { endpoint: CHAT, body }))
}

/** It was served, or refused for want of money: not for its form. */
export function reached(answers: ClientAnswer[]): boolean {
  return answers.some(({ status }) => status === 200 || status === 402)
}

export function denseText({ random }: Thief, bytes: number): string {
  return random.chance(0.5) ? '🦛'.repeat(bytes >> 2) : '0918273645'.repeat(Math.ceil(bytes / 10))
}
