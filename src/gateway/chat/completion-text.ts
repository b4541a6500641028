import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { plainText } from '../../upstream/contract/chat-parts.ts'
import type { ChatResult } from '../../upstream/contract/contract.ts'
import { usageFields, type Usage } from '../../upstream/contract/usage.ts'

/** Writes the answer of a chat as one of completions: texts, each behind `echo`. */
export class CompletionText {
  readonly #echo: string
  /** How long the text of each choice is so far. */
  readonly #lengths = new Map<number, number>()

  constructor(echo: string) {
    this.#echo = echo
  }

  whole({ body }: ChatResult, usage: Usage): Fields {
    const choices = listOf(body.choices).map((one) => this.#choice(fieldsOf(one), 'message'))
    return { ...headOf(body), choices, usage: usageFields(usage) }
  }

  /** The chunks of a stream; one that says nothing is left out. */
  write(chunks: readonly string[]): string[] {
    return chunks.flatMap((json) => this.#chunk(JSON.parse(json) as Fields))
  }

  #chunk(chunk: Fields): string[] {
    const choices = listOf(chunk.choices)
      .filter((one) => isFields(one) && tells(one))
      .map((one) => this.#choice(fieldsOf(one), 'delta'))
    if (choices.length === 0 && !isFields(chunk.usage)) return []
    return [JSON.stringify({ ...headOf(chunk), choices, usage: chunk.usage })]
  }

  #choice(choice: Fields, part: 'message' | 'delta'): Fields {
    const index = Number(choice.index ?? 0)
    const before = this.#lengths.get(index)
    const said = plainText(fieldsOf(choice[part]).content)
    const text = before === undefined ? this.#echo + said : said
    this.#lengths.set(index, (before ?? 0) + text.length)
    return {
      index,
      text,
      logprobs: logprobsOf(choice.logprobs, before ?? 0),
      finish_reason: finishOf(choice.finish_reason),
    }
  }
}

function tells({ delta, finish_reason: finish }: Fields): boolean {
  return typeof finish === 'string' || plainText(fieldsOf(delta).content) !== ''
}

function headOf({ id, created, model, system_fingerprint }: Fields): Fields {
  const ours = String(id).replace(/^chatcmpl-/, 'cmpl-')
  return { id: ours, object: 'text_completion', created, model, system_fingerprint }
}

const FINISHES = new Set(['length', 'content_filter'])

function finishOf(finish: unknown): string | null {
  const told = textOf(finish)
  if (told === undefined) return null
  return FINISHES.has(told) ? told : 'stop'
}

/** `offset` is where the first token stands in the text. */
function logprobsOf(logprobs: unknown, offset: number): Fields | null {
  const tokens = listOf(fieldsOf(logprobs).content).filter(isFields)
  if (tokens.length === 0) return null
  const texts = tokens.map(({ token }) => textOf(token) ?? '')
  let at = offset
  return {
    tokens: texts,
    token_logprobs: tokens.map(({ logprob }) => logprob ?? null),
    top_logprobs: tokens.map(({ top_logprobs: top }) =>
      Object.fromEntries(
        listOf(top)
          .filter(isFields)
          .map((one) => [String(one.token), one.logprob]),
      ),
    ),
    text_offset: texts.map((text) => (at += text.length) - text.length),
  }
}
