import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { chatOf } from './free-work.ts'
import { askAs, headersOf, inParallel, type Strategy, type Thief } from './thief.ts'

/** Reads to the last word and hangs up before the end, with all keys and at all processes. */
const leftAtTheLastWord: Strategy = {
  name: 'streams left at the last word',
  weight: 4,
  async play(thief) {
    const tokens = thief.random.pick([30, 100, 300])
    const answers = await inParallel(thief.random.between(1, 8), () =>
      leaveWhen(thief, this.name, tokens, (said) => said >= tokens),
    )
    return answers.some(({ left, status }) => left || status === 200)
  },
}

/** One long answer, left at its last word. */
const longStreamLeft: Strategy = {
  name: 'a long stream left at the last word',
  weight: 1,
  async play(thief) {
    const tokens = 1_200
    const { left, status } = await leaveWhen(thief, this.name, tokens, (said) => said >= tokens)
    return left || status === 200
  },
}

/** Hangs up when the reader knows that it is the end. */
const leftAtTheFinish: Strategy = {
  name: 'streams left at the finish',
  weight: 2,
  async play(thief) {
    const answers = await inParallel(4, () =>
      leaveWhen(thief, this.name, 40, (_said, text) => text.includes('"finish_reason":"')),
    )
    return answers.some(({ left, status }) => left || status === 200)
  },
}

/** Takes the first bytes and then nothing, with answers too large for any buffer on the way. */
const slowReaders: Strategy = {
  name: 'slow readers',
  weight: 1,
  async play(thief) {
    const statuses = await inParallel(7, () => readNothing(thief, this.name))
    return statuses.some((status) => [200, 402, 429].includes(status))
  },
}

export const LEFT_STREAMS = [leftAtTheLastWord, longStreamLeft, leftAtTheFinish, slowReaders]

/** What is left is counted by its bytes, so thieves who leave ask a model that speaks in words. */
const LETTERS_PER_TOKEN = 4

function leaveWhen(
  thief: Thief,
  strategy: string,
  tokens: number,
  isOver: (said: number, text: string) => boolean,
) {
  let said = 0
  return askAs(thief, {
    endpoint: 'POST /v1/chat/completions',
    body: chatOf(thief, strategy, { model: 'mlafi/maneno', stream: true, max_tokens: tokens }),
    onPiece(piece) {
      const text = piece.toString()
      for (const [, content] of text.matchAll(/"content":"([^"]*)"/g)) {
        said += content!.length / LETTERS_PER_TOKEN
      }
      return !isOver(said, text)
    },
  })
}

async function readNothing(thief: Thief, strategy: string): Promise<number> {
  const { random, den } = thief
  const { url } = random.pick(den.world.fleet.slots)
  const body = chatOf(thief, strategy, {
    model: 'mlafi/maneno',
    stream: true,
    logprobs: true,
    max_tokens: 16_000,
  })
  const call = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: {
      ...headersOf(thief),
      authorization: `Bearer ${random.pick(thief.keys)}`,
      'content-type': 'application/json',
    },
  })
  const status = new Promise<number>((done) => {
    // Without a listener for its data an answer is not read.
    call.once('response', (answer) => done(answer.statusCode ?? 0))
    call.once('error', () => done(0))
  })
  call.end(JSON.stringify(body))
  const seen = await status
  if (seen === 200) await sleep(den.holdMs)
  call.destroy()
  return seen
}
