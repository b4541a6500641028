import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { chatOf } from './free-work.ts'
import { askAs, headersOf, inParallel, type Strategy, type Thief } from './thief.ts'

/** Sockets that announce bodies at one process and send nothing: large ones, then what still fits. */
const idleBodies: Strategy = {
  name: 'idle bodies',
  weight: 1,
  async play(thief) {
    const { url } = thief.random.pick(thief.den.world.fleet.slots)
    const lengths = [13_000_000, 1_000_000, 100_000, 10_000, 1_000]
    const held = await inParallel(90, async (nth) => {
      const length = lengths[nth < 45 ? 0 : 1 + (nth % 4)]!
      await sleep(nth < 45 ? 0 : 200 + nth)
      return holdSocket(thief, url, `${headOf(thief)}content-length: ${length}\r\n\r\n{`)
    })
    return held.some(Boolean)
  },
}

/** A byte now and then: of the body, or of a head that never ends. */
const trickles: Strategy = {
  name: 'trickles',
  weight: 1,
  async play(thief) {
    const body = `${headOf(thief)}content-length: 100000\r\n\r\n{`
    const head = `${headOf(thief)}x-slow: `
    const { url } = thief.random.pick(thief.den.world.fleet.slots)
    const held = await inParallel(20, (nth) => holdSocket(thief, url, nth % 2 ? body : head, 'a'))
    return held.some(Boolean)
  },
}

/** Requests that take a careless parser long to refuse. */
const costlyInput: Strategy = {
  name: 'costly input',
  weight: 2,
  async play(thief) {
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => askWithSpaces(thief)),
      askAs(thief, {
        endpoint: 'PATCH /v1/me',
        token: thief.token,
        body: { avatar_url: `https://example.com/${'a'.repeat(4_800_000)}` },
      }),
      askAs(thief, {
        endpoint: 'POST /v1/chat/completions',
        body: chatOf(thief, this.name, {
          model: 'mlafi/rahisi',
          max_tokens: 1,
          messages: Array.from({ length: 20_000 }, () => ({ role: 'user', content: '' })),
        }),
      }),
      askAs(thief, {
        endpoint: 'PATCH /v1/me',
        token: thief.token,
        body: { full_name: 'a\0b' },
      }),
    ])
    return answers.every(({ status }) => status > 0)
  },
}

export const STOPPING = [idleBodies, trickles, costlyInput]

function askWithSpaces(thief: Thief) {
  const type = `application/json;${' '.repeat(15_500)}x`
  return askAs(thief, {
    endpoint: 'POST /v1/chat/completions',
    headers: { 'content-type': type },
    raw: Buffer.from('{}'),
  })
}

function headOf(thief: Thief): string {
  const { 'x-forwarded-for': address } = headersOf(thief)
  return (
    'POST /v1/chat/completions HTTP/1.1\r\nhost: mlango\r\ncontent-type: application/json\r\n' +
    `x-forwarded-for: ${address}\r\nauthorization: Bearer ${thief.random.pick(thief.keys)}\r\n`
  )
}

const DRIP_MS = 200

/** Until the time is over or the service hangs up. True if it was connected at all. */
async function holdSocket({ den }: Thief, url: string, head: string, drip = ''): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
  let connected = false
  socket.once('connect', () => {
    connected = true
    socket.write(head)
  })
  const untilMs = performance.now() + den.holdMs
  while (performance.now() < untilMs && !socket.closed) {
    await sleep(DRIP_MS)
    if (connected && drip !== '' && socket.writable) socket.write(drip)
  }
  socket.destroy()
  return connected
}
