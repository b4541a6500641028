import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../../lib/json.ts'
import { customInput, type CustomNames } from './custom-tools.ts'

/* Calls of custom tools, which models made as functions, as the caller of a chat reads them. */

export function withCustomCalls(body: Fields, custom: CustomNames): Fields {
  const choices = listOf(body.choices).filter(isFields)
  return { ...body, choices: choices.map((choice) => customChoice(choice, custom)) }
}

function customChoice(choice: Fields, custom: CustomNames): Fields {
  const message = fieldsOf(choice.message)
  if (!Array.isArray(message.tool_calls)) return choice
  const calls = message.tool_calls.filter(isFields).map((call) => customCall(call, custom))
  return { ...choice, message: { ...message, tool_calls: calls } }
}

function customCall(call: Fields, custom: CustomNames): Fields {
  const { function: made, ...rest } = call
  const { name, arguments: args } = fieldsOf(made)
  if (!custom.has(textOf(name) ?? '')) return call
  return { ...rest, type: 'custom', custom: { name, input: customInput(textOf(args) ?? '') } }
}

type OpenCall = { choice: number; index: number; args: string }

/** The same in a stream: what a tool is called with is told when it is whole. */
export class CustomChunks {
  readonly #custom: CustomNames
  readonly #open = new Map<string, OpenCall>()

  constructor(custom: CustomNames) {
    this.#custom = custom
  }

  write(chunks: readonly string[]): readonly string[] {
    if (this.#custom.size === 0) return chunks
    return chunks.flatMap((chunk) => (this.#concerns(chunk) ? this.#writeOne(chunk) : [chunk]))
  }

  #concerns(chunk: string): boolean {
    return chunk.includes('"tool_calls"') || (this.#open.size > 0 && FINISH.test(chunk))
  }

  #writeOne(text: string): string[] {
    const chunk = JSON.parse(text) as Fields
    const choices = listOf(chunk.choices).filter(isFields)
    for (const choice of choices) this.#read(choice)
    const ended = choices.filter((choice) => typeof choice.finish_reason === 'string')
    const inputs = ended.flatMap((choice) => this.#inputsOf(indexOf(choice)))
    const told = inputs.map((choice) => JSON.stringify({ ...chunk, choices: [choice] }))
    const left = choices.filter(saysSomething)
    return left.length === 0 ? told : [...told, JSON.stringify({ ...chunk, choices: left })]
  }

  #read(choice: Fields): void {
    const delta = fieldsOf(choice.delta)
    if (!Array.isArray(delta.tool_calls)) return
    const calls = delta.tool_calls.filter(isFields)
    const told = calls.flatMap((call) => this.#piece(call, indexOf(choice)))
    if (told.length > 0) delta.tool_calls = told
    else delete delta.tool_calls
  }

  #piece(call: Fields, choice: number): Fields[] {
    const { function: made, ...rest } = call
    const { name, arguments: args } = fieldsOf(made)
    const place = `${choice} ${indexOf(call)}`
    const open = this.#open.get(place)
    if (open !== undefined) {
      open.args += textOf(args) ?? ''
      return []
    }
    if (!this.#custom.has(textOf(name) ?? '')) return [call]
    this.#open.set(place, { choice, index: indexOf(call), args: textOf(args) ?? '' })
    return [{ ...rest, type: 'custom', custom: { name, input: '' } }]
  }

  /** What the calls of a choice are called with, each as a choice of a chunk. */
  #inputsOf(choice: number): Fields[] {
    const whole = [...this.#open].filter(([, open]) => open.choice === choice)
    return whole.map(([place, { index, args }]) => {
      this.#open.delete(place)
      const call = { index, custom: { input: customInput(args) } }
      return { index: choice, delta: { tool_calls: [call] }, finish_reason: null }
    })
  }
}

const FINISH = /"finish_reason":"/

function indexOf({ index }: Fields): number {
  return typeof index === 'number' ? index : 0
}

/** A choice of which nothing is left to be told is left out. */
function saysSomething({ delta, finish_reason: finish }: Fields): boolean {
  return typeof finish === 'string' || Object.keys(fieldsOf(delta)).length > 0
}
