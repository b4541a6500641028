import { Failure } from '../../lib/failure.ts'
import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { completion } from '../../upstream/contract/chunks.ts'
import type { ChatResult, OurNames } from '../../upstream/contract/contract.ts'
import { RefusedAnswer, UpstreamError } from '../../upstream/contract/upstream-error.ts'
import type { ChatStream } from '../../upstream/work.ts'
import { addDetails } from './reasoning.ts'

/** The limit of a whole answer. */
const MOST_CHARACTERS = 32 * 1024 * 1024

const TOO_LONG = 'The answer is too long to be sent whole. Use stream: true.'

export type Gathered = ChatResult & Pick<ChatStream, 'boundTokens'>

/** Reads a stream to its end and makes the whole answer of it. */
export async function gatherAnswer(stream: ChatStream, ours: OurNames): Promise<Gathered> {
  const parts = new Parts()
  let characters = 0
  for (;;) {
    while (!stream.ready) await stream.more()
    const chunks = stream.take()
    if (chunks === undefined) break
    for (const chunk of chunks) {
      characters += chunk.length
      parts.add(JSON.parse(chunk) as Fields)
    }
    if (characters <= MOST_CHARACTERS) continue
    stream.cancel()
    const cause = new RefusedAnswer(new UpstreamError('too_large', 'whole'), stream.usage)
    throw new Failure('upstream_failed', TOO_LONG, { cause })
  }
  for (const chunk of stream.last) parts.add(JSON.parse(chunk) as Fields)
  return parts.answer(stream, ours)
}

type Choice = { index: number; message: Fields; finish: string | undefined; logprobs: unknown }

class Parts {
  readonly #choices = new Map<number, Choice>()
  #fingerprint: unknown

  add({ choices, system_fingerprint: fingerprint }: Fields): void {
    this.#fingerprint ??= fingerprint
    for (const piece of listOf(choices).filter(isFields)) {
      const choice = this.#choiceAt(Number(piece.index ?? 0))
      join(choice.message, fieldsOf(piece.delta))
      choice.finish = textOf(piece.finish_reason) ?? choice.finish
      choice.logprobs = joined(choice.logprobs, piece.logprobs)
    }
  }

  answer(stream: ChatStream, ours: OurNames): Gathered {
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index)
    const { usage, generationId, boundTokens } = stream
    const written = choices.map(({ index, message, finish }) => ({
      index,
      message: wholeMessage(message),
      finish_reason: finish ?? 'stop',
    }))
    const result = completion(ours, written, usage, generationId)
    listOf(result.body.choices).forEach((choice, i) => {
      fieldsOf(choice).logprobs = choices[i]!.logprobs ?? null
    })
    const body = { ...result.body, system_fingerprint: this.#fingerprint ?? undefined }
    return { ...result, body, boundTokens }
  }

  #choiceAt(index: number): Choice {
    let choice = this.#choices.get(index)
    if (choice === undefined) {
      choice = { index, message: {}, finish: undefined, logprobs: undefined }
      this.#choices.set(index, choice)
    }
    return choice
  }
}

function wholeMessage({ role, content, refusal, tool_calls: calls, ...rest }: Fields): Fields {
  const called = listOf(calls).filter(isFields)
  return {
    role: role ?? 'assistant',
    content: called.length > 0 && !content ? null : (content ?? ''),
    refusal: refusal ?? null,
    ...rest,
    ...(called.length > 0 ? { tool_calls: called.map(({ index: _index, ...call }) => call) } : {}),
  }
}

/** Members that are names are replaced; all other texts are appended. */
const NAMES = new Set(['role', 'id', 'type', 'name', 'format', 'signature', 'expires_at'])

function join(into: Fields, delta: Fields): void {
  for (const [name, value] of Object.entries(delta)) {
    if (value === null || value === undefined) continue
    into[name] = (JOINED[name] ?? joinedMember)(into[name], value, name)
  }
}

/** Lists whose pieces are joined by an index. */
const JOINED: Record<string, (before: unknown, pieces: unknown) => unknown> = {
  tool_calls: joinedCalls,
  reasoning_details: joinedDetails,
}

function joinedDetails(before: unknown, pieces: unknown): Fields[] {
  const details = listOf(before).filter(isFields)
  addDetails(details, listOf(pieces).filter(isFields))
  return details
}

function joinedMember(before: unknown, value: unknown, name: string): unknown {
  return NAMES.has(name) ? value : joined(before, value)
}

function joined(before: unknown, value: unknown): unknown {
  if (before === undefined || before === null) return value
  if (typeof before === 'string' && typeof value === 'string') return before + value
  if (Array.isArray(before) && Array.isArray(value)) return [...(before as unknown[]), ...value]
  if (!isFields(before) || !isFields(value)) return value ?? before
  join(before, value)
  return before
}

function joinedCalls(before: unknown, pieces: unknown): Fields[] {
  const calls = listOf(before).filter(isFields)
  for (const piece of listOf(pieces).filter(isFields)) {
    const known = calls.find(({ index }) => index === piece.index)
    if (known === undefined) calls.push(piece)
    else join(known, piece)
  }
  return calls
}
