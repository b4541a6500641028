import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test, type TestContext } from 'node:test'
import { startApp } from '../app.ts'
import type { Loose } from '../loose.ts'
import { assertAgreement } from '../money/agreement.ts'
import { watch } from '../money/paid.ts'
import { chatModel } from './chat-model.ts'
import { geminiModel, SIGNATURE } from './gemini-model.ts'

export type Said = { deltas: Loose[]; finish?: string; usage?: object }
/** Whom a client asks, and as whom. */
export type Where = { url: string; key: string; model: string }

export type Situation = {
  name: string
  said?: (sent: Loose) => Said
  body?: object
  /** What the model was sent, and what the client got. */
  check(sent: Loose, answer: Loose): void
}

type Client = {
  /** The answer as the dialect's own client has it in the end. */
  ask(stream: boolean, body: object, where: Where): Promise<Loose>
  situations: readonly Situation[]
  /** Asks for a call of a tool at one place, and answers it at another. */
  callsAndAnswers(stream: boolean, first: Where, second: Where): Promise<void>
}

export const OK: Said = { deltas: [{ content: 'Sawa.' }] }

/** What a client sends and a chat model answers, each through the whole service, whole and streamed. */
export function testSituations({ ask, situations, callsAndAnswers }: Client) {
  let said: (sent: Loose) => Said = () => OK
  let upstream: Awaited<ReturnType<typeof chatModel>>
  let app: Awaited<ReturnType<typeof startApp>>
  let asha: Awaited<ReturnType<typeof app.customer>>
  before(async () => {
    upstream = await chatModel((sent) => said(sent))
    app = await startApp({ upstream: upstream.entry })
    asha = await app.customer('1000')
  })
  after(async () => {
    await app.close()
    await upstream.close()
  })
  afterEach(() => assertAgreement(app.db))

  /** One call, what the model was sent of it, and what it cost. */
  async function run(stream: boolean, body: object, answer: (sent: Loose) => Said) {
    said = answer
    const { result, spent } = await watch(app, asha.accountId).during(() =>
      ask(stream, body, { url: app.url, key: asha.key, model: 'lab/zana' }),
    )
    assert.ok(spent > 0)
    return { result, spent, sent: upstream.requests.at(-1) }
  }

  for (const { name, said: answer = () => OK, body = {}, check } of situations) {
    for (const stream of [false, true]) {
      test(`${name}, streamed ${stream}`, async () => {
        const { sent, result } = await run(stream, body, answer)
        check(sent, result)
      })
    }
  }

  describe('what signs a call of Gemini’s comes back with it, to another process too', () => {
    let gemini: Awaited<ReturnType<typeof geminiModel>>
    const apps: Awaited<ReturnType<typeof startApp>>[] = []
    const places: Where[] = []
    before(async () => {
      gemini = await geminiModel()
      for (let i = 0; i < 2; i++) {
        const one = await startApp({ upstream: gemini.entry })
        const { key } = await one.customer('10')
        apps.push(one)
        places.push({ url: one.url, key, model: 'google/gemini-door' })
      }
    })
    after(async () => {
      await Promise.all(apps.map((one) => one.close()))
      await gemini.close()
    })
    for (const stream of [false, true]) {
      test(`streamed ${stream}`, async () => {
        await callsAndAnswers(stream, places[0]!, places[1]!)
        assert.equal(signatureIn(gemini.requests.at(-1)), SIGNATURE)
        for (const one of apps) await assertAgreement(one.db)
      })
    }
  })
  return run
}

function signatureIn({ contents }: Loose): string | undefined {
  const parts = contents.flatMap((content: Loose) => content.parts)
  return parts.find((part: Loose) => part.functionCall)?.thoughtSignature
}

/** A stream that goes silent after its first word, with timers that the test moves on. */
export async function silentStream(t: TestContext, path: string, body: object) {
  const app = await startApp()
  t.after(() => app.close())
  const { key } = await app.customer('100')
  t.mock.timers.enable({ apis: ['setInterval'] })
  app.models.fail({ fault: 'endless-600000', times: 1, model: 'sim/hekima' })
  const leave = new AbortController()
  const answer = await fetch(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/hekima', stream: true, ...body }),
    signal: leave.signal,
  })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  return {
    leave: () => leave.abort(),
    /** What is read up to these words. */
    async until(words: string): Promise<string> {
      let read = ''
      while (!read.includes(words)) {
        const { value, done } = await reader.read()
        assert.equal(done, false, read)
        read += value
      }
      return read
    },
  }
}
