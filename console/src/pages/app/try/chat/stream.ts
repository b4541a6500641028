import { send } from '../../../../client/ask.ts'
import { AskFailure } from '../../../../client/failure.ts'
import type { ChatBody } from './body.ts'

type Options = {
  body: ChatBody
  signal: AbortSignal
  onStart(requestId: string): void
  onText(piece: string): void
}

/** Sends a chat and hands over its text as it comes. Throws AskFailure, also when it breaks off. */
export async function streamChat({ body, signal, onStart, onText }: Options): Promise<void> {
  const response = await send('POST /v1/chat/completions', { body, signal })
  const requestId = response.headers.get('x-request-id') ?? ''
  onStart(requestId)
  const broken = (kind: string) =>
    new AskFailure({ status: 502, kind, message: '', requestId, inDoubt: false })
  let ended = false
  try {
    for await (const data of eventsOf(response)) {
      if (data === '[DONE]') ended = true
      else onText(textOf(JSON.parse(data) as Chunk, broken))
    }
  } catch (error) {
    if (error instanceof AskFailure) throw error
    throw broken(signal.aborted ? 'cancelled' : 'broken_off')
  }
  if (!ended) throw broken('broken_off')
}

type Chunk = {
  error?: { code?: string | null; type?: string }
  choices?: { delta?: { content?: unknown } }[]
}

function textOf({ error, choices }: Chunk, broken: (kind: string) => AskFailure): string {
  if (error !== undefined) throw broken('broken_off')
  const content = choices?.[0]?.delta?.content
  return typeof content === 'string' ? content : ''
}

/** The data of server-sent events; comments, which keep the connection open, are skipped. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('data:')) yield line.slice(5).trim()
    }
  }
}
