import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WatchedStream, type StreamLimit } from '../../../src/gateway/chat/watched-stream.ts'
import type { ChatStream } from '../../../src/upstream/work.ts'
import { itemsOf } from '../../upstream/sources.ts'
import { eventually } from '../../support/eventually.ts'

const ours = { id: 'chatcmpl-1', model: 'test/model', created: 7 }

/** A model that says digits, each a token, as long as it is listened to. */
class Model implements ChatStream {
  readonly #pieces: number[]
  readonly #choices: number
  said = 0
  cancelled = false
  breaks = false
  readonly ready = true
  readonly generationId = 'gen-1'
  readonly pictures = 0
  readonly last = []
  finished = false
  timedOut = false
  finishReason: string | null = null
  usage: ChatStream['usage'] = { kind: 'absent' }

  constructor(pieces: number[], choices = 1) {
    this.#pieces = pieces
    this.#choices = choices
  }

  get outputBytes() {
    return this.said
  }

  async more(): Promise<void> {}

  rests = 0
  rest(): void {
    this.rests += 1
  }

  take(): readonly string[] | undefined {
    if (this.cancelled) return undefined
    const tokens = this.#pieces.shift()
    if (tokens === undefined) {
      if (this.breaks) throw new Error('broke off')
      this.finishReason = 'stop'
      return undefined
    }
    this.said += tokens * this.#choices
    return Array.from({ length: this.#choices }, (_, index) =>
      JSON.stringify({
        choices: [{ index, delta: { content: '7'.repeat(tokens) }, finish_reason: null }],
      }),
    )
  }

  cancel(): void {
    this.cancelled = true
  }
}

let nowMs = 0

/** A second passes at every look. A credit is a token. `spare` is what the account has beyond the limit. */
function limitOf(limit: number, spare: number, more: Partial<StreamLimit> = {}) {
  const asked: bigint[] = []
  let [limitMicro, left] = [BigInt(limit), BigInt(spare)]
  const streamLimit: StreamLimit = {
    limitMicro,
    ceilingMicro: BigInt(limit + spare),
    stepMicro: 10n,
    tokensFor: Number,
    extend: async (byMicro) => {
      asked.push(byMicro)
      const by = byMicro < left ? byMicro : left
      left -= by
      limitMicro += by
      return limitMicro
    },
    boundPrompt: () => 3,
    nowMs: () => (nowMs += 1_000),
    ...more,
  }
  return { streamLimit, asked, take: (by: number) => (left -= BigInt(by)) }
}

/** As much as is wanted, when the model would have said all. */
const muchLater = (limitMicro: bigint): StreamLimit['extend'] => {
  return () => new Promise((done) => setTimeout(done, 1_000, limitMicro))
}

async function textOf(stream: ChatStream): Promise<{ text: string; finishes: string[] }> {
  let text = ''
  const finishes: string[] = []
  const note = (chunk: string) => {
    const [choice] = (JSON.parse(chunk) as { choices: Piece[] }).choices
    text += choice!.delta.content ?? ''
    if (choice!.finish_reason !== null) finishes.push(`${choice!.index} ${choice!.finish_reason}`)
  }
  for await (const chunks of itemsOf(stream)) chunks.forEach(note)
  stream.last.forEach(note)
  return { text, finishes }
}

type Piece = { index: number; delta: { content?: string }; finish_reason: string | null }
const pieces = (count: number, tokens: number) => Array<number>(count).fill(tokens)

test('the limit is raised step by step before it is passed, and the answer is whole', async () => {
  const model = new Model(pieces(20, 2))
  const { streamLimit, asked } = limitOf(10, 90)
  const stream = new WatchedStream(model, streamLimit, ours)
  const { text, finishes } = await textOf(stream)
  assert.deepEqual([text.length, finishes], [40, []])
  assert.ok(asked.length >= 3 && asked.length <= 5 && asked.every((by) => by === 10n))
  assert.deepEqual(
    [stream.finishReason, stream.boundTokens, stream.usage.kind],
    ['stop', undefined, 'absent'],
  )
})

test('when the money ends so does the answer, with length, before the limit is passed', async () => {
  const model = new Model(pieces(100, 2), 2)
  const { streamLimit, take } = limitOf(10, 90)
  take(65)
  const stream = new WatchedStream(model, streamLimit, ours)
  const { text, finishes } = await textOf(stream)
  assert.ok(model.cancelled)
  assert.ok(text.length > 25 && text.length <= 35, String(text.length))
  assert.deepEqual(finishes, ['0 length', '1 length'])
  assert.deepEqual([stream.finishReason, stream.boundTokens], ['length', text.length])
  assert.ok(stream.finished)
  const usage = { promptTokens: 3, completionTokens: undefined }
  assert.deepEqual(stream.usage, { kind: 'reported', usage })
})

test('what an upstream has told of the prompt is believed', async () => {
  const model = new Model(pieces(100, 2))
  model.usage = {
    kind: 'reported',
    usage: { promptTokens: 11, completionTokens: 1, cachedTokens: 2 },
  }
  const stream = new WatchedStream(
    model,
    limitOf(10, 5, { extend: async () => 0n }).streamLimit,
    ours,
  )
  await textOf(stream)
  assert.ok(stream.usage.kind === 'reported')
  const { promptTokens, cachedTokens, completionTokens } = stream.usage.usage
  assert.deepEqual([promptTokens, cachedTokens, completionTokens], [11, 2, undefined])
})

test('room is kept for as much as has ever come at once', async () => {
  const model = new Model([1, 20, 20, 20])
  const { streamLimit, take } = limitOf(50, 50)
  take(50)
  const { text } = await textOf(new WatchedStream(model, streamLimit, ours))
  assert.equal(text.length, 41)
})

test('what it says while nobody can look for half a second is paid for beforehand', async () => {
  const model = new Model(pieces(200, 10))
  // A hundred tokens a second.
  const { streamLimit, take } = limitOf(1_000, 10, { nowMs: () => model.said * 10 })
  take(10)
  const { text } = await textOf(new WatchedStream(model, streamLimit, ours))
  assert.ok(text.length >= 930 && text.length <= 960, String(text.length))
})

test('at the ceiling nothing is counted: the upstream ends by itself', async () => {
  const model = new Model(pieces(300, 2))
  const { streamLimit, asked } = limitOf(10, 15)
  const stream = new WatchedStream(model, streamLimit, ours)
  assert.equal((await textOf(stream)).text.length, 600)
  assert.deepEqual(asked, [10n, 5n])
  assert.equal(stream.finishReason, 'stop')
})

test('a reader who does not keep up must be able to pay for all that may still be said', async () => {
  const model = new Model(pieces(2_000, 1_000))
  const { streamLimit, asked, take } = limitOf(10_000_000, 10_000_000)
  take(1)
  const stream = new WatchedStream(model, streamLimit, ours)
  while (!model.cancelled && model.finishReason === null)
    await new Promise((done) => setImmediate(done))
  assert.ok(model.said < 400_000, String(model.said))
  assert.equal(asked[0], 10_000_000n)
  const { text, finishes } = await textOf(stream)
  assert.equal(text.length, model.said)
  assert.deepEqual(finishes, ['0 length'])
})

test('one who can pay for it is waited for', async () => {
  const model = new Model(pieces(2_000, 1_000))
  const { streamLimit } = limitOf(10_000_000, 10_000_000)
  const stream = new WatchedStream(model, streamLimit, ours)
  await eventually('the model rests', () => model.rests > 0)
  assert.ok(model.said < 400_000, String(model.said))
  assert.equal(model.rests, 1)
  assert.equal((await textOf(stream)).text.length, 2_000_000)
})

test('while the database is silent no more is said than the limit pays for', async () => {
  const model = new Model(pieces(100, 2))
  const { streamLimit } = limitOf(10, 90, { extend: muchLater(100n) })
  const stream = new WatchedStream(model, streamLimit, ours)
  const { text, finishes } = await textOf(stream)
  assert.ok(model.cancelled)
  assert.ok(text.length > 5 && text.length <= 10, String(text.length))
  assert.deepEqual([finishes, stream.boundTokens], [['0 length'], text.length])
})

test('while it is waited for there is room for what comes meanwhile', async () => {
  const model = new Model([1, 20, 20, 20])
  const { streamLimit } = limitOf(50, 90, { extend: muchLater(100n) })
  // With the next piece it would be 41, and one more would be beyond the limit.
  assert.equal((await textOf(new WatchedStream(model, streamLimit, ours))).text.length, 21)
})

test('an answer that takes a little longer than the room lasts is waited for', async () => {
  const model = new Model(pieces(20, 2))
  const { streamLimit } = limitOf(10, 90)
  const slowly: StreamLimit['extend'] = async (byMicro) => {
    await new Promise((done) => setTimeout(done, 5))
    return streamLimit.extend(byMicro)
  }
  const stream = new WatchedStream(model, { ...streamLimit, extend: slowly }, ours)
  assert.equal((await textOf(stream)).text.length, 40)
})

test('a reader who does not keep up is cut off while the database is silent', async () => {
  const model = new Model(pieces(2_000, 1_000))
  const { streamLimit } = limitOf(10_000_000, 10_000_000, { extend: muchLater(20_000_000n) })
  const stream = new WatchedStream(model, streamLimit, ours)
  await eventually('the model rests', () => model.cancelled || model.rests > 0)
  assert.ok(model.said < 400_000, String(model.said))
  assert.deepEqual((await textOf(stream)).finishes, ['0 length'])
})

test('what breaks is thrown after what came before it, and a cancelled stream is over', async () => {
  const model = new Model(pieces(3, 2))
  model.breaks = true
  const stream = new WatchedStream(model, limitOf(100, 0).streamLimit, ours)
  await stream.more()
  let text = 0
  await assert.rejects(async () => {
    for await (const chunks of itemsOf(stream)) text += chunks.length
  }, /broke off/)
  assert.equal(text, 3)
  const other = new Model(pieces(1_000, 1))
  const left = new WatchedStream(other, limitOf(10_000, 0).streamLimit, ours)
  left.cancel()
  assert.ok(other.cancelled)
  assert.equal(left.take(), undefined)
})

test('one that our clock ended is counted as one that the money ended', async () => {
  const model = new Model(pieces(5, 2))
  model.timedOut = true
  const { streamLimit } = limitOf(10, 90)
  const stream = new WatchedStream(model, streamLimit, ours)
  const { text } = await textOf(stream)
  assert.deepEqual([text.length, stream.finishReason, stream.boundTokens], [10, 'length', 10])
  assert.equal(stream.usage.kind === 'reported' && stream.usage.usage.promptTokens, 3)
})
