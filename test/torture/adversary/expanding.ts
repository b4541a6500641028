import { connect } from 'node:net'
import {
  tagOf,
  answered,
  askAs,
  headersOf,
  inParallel,
  type Strategy,
  type Thief,
} from './thief.ts'

const RESPONSES = 'POST /v1/responses'
const MODEL = 'mlafi/rahisi'

/** A few bytes that refer to many: one item again and again, and a conversation by its last response. */
const expandingReferences: Strategy = {
  name: 'expanding references',
  weight: 1,
  async play(thief) {
    const text = tagOf(thief, this.name) + ' maneno'.repeat(2_000)
    const first = await askAs(thief, {
      endpoint: RESPONSES,
      body: { model: MODEL, max_output_tokens: 1, input: [{ role: 'user', content: text }] },
    })
    if (first.status !== 200) return answered([first])
    const { id } = JSON.parse(first.text) as { id: string }
    const item = { id: `msg_${id.slice('resp_'.length)}i0` }
    const again = { model: MODEL, max_output_tokens: 1, store: false }
    const answers = [
      ...(await inParallel(4, () =>
        askAs(thief, {
          endpoint: RESPONSES,
          body: { ...again, input: Array.from({ length: 9_000 }, () => item) },
        }),
      )),
      ...(await inParallel(10, () =>
        askAs(thief, { endpoint: RESPONSES, body: { ...again, previous_response_id: id } }),
      )),
    ]
    return answers.some(({ status }) => status === 400)
  },
}

/** What is made of a name, of arguments or of tiny items is more work than they are bytes. */
const costlyMembers: Strategy = {
  name: 'costly members',
  weight: 1,
  async play(thief) {
    const tools = Array.from({ length: 300 }, (_, i) => ({ type: 'function', name: `f${i}` }))
    const namespace = { type: 'namespace', name: 'n'.repeat(3_000_000), tools }
    const call = {
      type: 'function_call',
      call_id: 'a',
      name: 'f',
      arguments: '['.repeat(3_000_000),
    }
    const items = Array.from({ length: 45_000 }, () => ({ role: 'user', content: '' }))
    const bodies = [
      { input: 'x', tools: [namespace] },
      { input: [call, { type: 'function_call_output', call_id: 'a', output: '' }, items[0]] },
      { input: items },
    ]
    const answers = await Promise.all([
      ...bodies.map((body) =>
        askAs(thief, {
          endpoint: RESPONSES,
          body: { model: MODEL, max_output_tokens: 1, ...body },
        }),
      ),
      askAs(thief, {
        endpoint: 'POST /v1/messages',
        body: { model: MODEL, max_tokens: 1, messages: items },
      }),
    ])
    return answers.some(({ status }) => status === 400)
  },
}

/** More prompts on one phone than anybody answers. */
const prompts: Strategy = {
  name: 'prompts on a phone',
  weight: 1,
  async play(thief) {
    const answers = await inParallel(8, () =>
      askAs(thief, {
        endpoint: 'POST /v1/payments/topup',
        token: thief.token,
        body: { amount_tzs: thief.random.pick(thief.den.topUps) },
      }),
    )
    return answered(answers)
  },
}

/** Thousands of requests in one write. */
const pipelines: Strategy = {
  name: 'pipelines',
  weight: 1,
  async play(thief) {
    const { url } = thief.random.pick(thief.den.world.fleet.slots)
    const closed = await inParallel(5, () => isClosed(thief, url))
    return closed.every(Boolean)
  },
}

export const EXPANDING = [expandingReferences, costlyMembers, prompts, pipelines]

function isClosed(thief: Thief, url: string): Promise<boolean> {
  const { 'x-forwarded-for': address } = headersOf(thief)
  const head = `GET /v1/models HTTP/1.1\r\nhost: mlango\r\nx-forwarded-for: ${address}\r\n\r\n`
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.setTimeout(thief.den.holdMs, () => socket.destroy(new Error('still open')))
  socket.resume()
  socket.write(head.repeat(3_000))
  return new Promise((resolve) => {
    socket.once('error', (error) => resolve(error.message !== 'still open'))
    socket.once('close', () => resolve(true))
  })
}
