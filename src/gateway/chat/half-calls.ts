import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { brokenCall, isCutOff } from './dialects.ts'
import { JsonEnd } from '../../lib/json-end.ts'

/**
 * Sees whether an answer ends in the middle of a tool call. Of a stream, only chunks with calls are
 * parsed, and nothing of them is kept.
 */
export class HalfCalls {
  readonly #ends = new Map<string, { choice: unknown; end: JsonEnd }>()

  read(chunks: readonly string[]): void {
    for (const chunk of chunks) if (chunk.includes(CALLS)) this.#readCalls(choicesIn(chunk))
  }

  /** Throws where half a call is not the work of a limit. */
  refuse(last: readonly string[]): void {
    if (this.#ends.size === 0) return
    const choices = last.flatMap(choicesIn)
    const cutOff = choices.filter((one) => isCutOff(textOf(one.finish_reason) ?? null))
    const excused = new Set<unknown>(cutOff.map(({ index }) => index ?? 0))
    const half = [...this.#ends.values()].some(
      ({ choice, end }) => end.half && !excused.has(choice),
    )
    if (half) throw brokenCall()
  }

  #readCalls(choices: readonly Fields[]): void {
    for (const { index: choice = 0, delta } of choices) {
      const calls = listOf(fieldsOf(delta).tool_calls).filter(isFields)
      calls.forEach((call, at) => this.#readCall(choice, call.index ?? at, call))
    }
  }

  #readCall(choice: unknown, at: unknown, call: Fields): void {
    const place = `${String(choice)} ${String(at)}`
    const known = this.#ends.get(place)
    // Some servers give every call the same index.
    const isNew = known === undefined || (known.end.reached && typeof call.id === 'string')
    const { end } = isNew ? { end: new JsonEnd() } : known
    if (isNew) this.#ends.set(place, { choice, end })
    end.read(textOf(fieldsOf(call.function).arguments) ?? '')
  }
}

const CALLS = '"tool_calls":'

function choicesIn(chunk: string): Fields[] {
  return listOf((JSON.parse(chunk) as Fields).choices).filter(isFields)
}

/** Of a whole answer. */
export function refuseHalfCalls(completion: Fields): void {
  for (const choice of listOf(completion.choices).filter(isFields)) {
    if (isCutOff(textOf(choice.finish_reason) ?? null)) continue
    for (const call of listOf(fieldsOf(choice.message).tool_calls)) {
      const end = new JsonEnd()
      end.read(textOf(fieldsOf(fieldsOf(call).function).arguments) ?? '')
      if (end.half) throw brokenCall()
    }
  }
}
