import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * A model that says as much as it is allowed to, in OpenAI's format over HTTP, and bills as dearly as
 * one can: a token for each byte that it reads and for each digit that it says. What it has said when
 * its caller hangs up is billed as well.
 */
export type Talker = {
  url: string
  /** What was asked of it, with what it did. */
  calls: TalkerCall[]
  close(): Promise<void>
}

export type TalkerCall = {
  model: string
  promptTokens: number
  said: number
  /** The limit that it was given, for each choice. */
  limit: number
  choices: number
  stream: boolean
  state: 'talking' | 'finished' | 'cut off'
}

/** `longest` is how much it would say of itself; one that `thinks` keeps the first half hidden. */
type Pace = { tokens: number; everyMs: number; longest: number; thinks: boolean }

/** 400 tokens a second, which few models reach. */
const USUAL: Pace = { tokens: 4, everyMs: 10, longest: 16_384, thinks: false }

export async function startTalker(paces: Record<string, Partial<Pace>> = {}): Promise<Talker> {
  const calls: TalkerCall[] = []
  const server = createServer((request, response) => {
    void talk(request, response, paces, calls).catch(() => response.destroy())
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

type Asked = {
  model: string
  messages: unknown
  stream?: boolean
  n?: number
  max_tokens?: number
  max_completion_tokens?: number
}

async function talk(
  request: IncomingMessage,
  response: ServerResponse,
  paces: Record<string, Partial<Pace>>,
  calls: TalkerCall[],
): Promise<void> {
  const asked = JSON.parse(await textOf(request)) as Asked
  const pace = { ...USUAL, ...paces[asked.model] }
  const limit = Math.min(
    pace.longest,
    asked.max_completion_tokens ?? Infinity,
    asked.max_tokens ?? Infinity,
  )
  const call: TalkerCall = {
    model: asked.model,
    promptTokens: Buffer.byteLength(contents(asked.messages)),
    said: 0,
    limit,
    choices: asked.n ?? 1,
    stream: asked.stream === true,
    state: 'talking',
  }
  calls.push(call)
  response.on('close', () => {
    if (call.state === 'talking') call.state = 'cut off'
  })
  if (call.stream) response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let turn = 0; call.state === 'talking' && turn * pace.tokens < limit; turn++) {
    const tokens = Math.min(pace.tokens, limit - turn * pace.tokens)
    call.said += tokens * call.choices
    const hidden = pace.thinks && turn * pace.tokens < limit / 2
    if (call.stream && !hidden) response.write(pieces(call.choices, '7'.repeat(tokens)))
    await wait(pace.everyMs)
  }
  if (call.state !== 'talking') return
  call.state = 'finished'
  end(response, call)
}

/** Only what is said counts: its frame is ours. */
function contents(messages: unknown): string {
  return (messages as { content?: unknown }[])
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('')
}

function pieces(choices: number, content: string): string {
  return Array.from({ length: choices }, (_, index) => index)
    .map((index) => frame({ choices: [{ index, delta: { content }, finish_reason: null }] }))
    .join('')
}

function frame(chunk: object): string {
  return `data: ${JSON.stringify({ id: 'talk-1', object: 'chat.completion.chunk', ...chunk })}\n\n`
}

function end(response: ServerResponse, call: TalkerCall): void {
  const usage = {
    prompt_tokens: call.promptTokens,
    completion_tokens: call.said,
    total_tokens: call.promptTokens + call.said,
  }
  const indexes = Array.from({ length: call.choices }, (_, index) => index)
  if (call.stream) {
    const last = indexes.map((index) => ({ index, delta: {}, finish_reason: 'length' }))
    response.end(
      `${last.map((one) => frame({ choices: [one] })).join('')}${frame({ choices: [], usage })}data: [DONE]\n\n`,
    )
    return
  }
  const message = { role: 'assistant', content: '7'.repeat(call.said / call.choices) }
  const choices = indexes.map((index) => ({ index, message, finish_reason: 'length' }))
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'talk-1', object: 'chat.completion', choices, usage }))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
