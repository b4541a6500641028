import type { Fields } from '../../../lib/fields.ts'

/** Writes events, numbered without a gap, until they are fetched. */
export class EventWriter {
  #text = ''
  #sequence = 0

  write(type: string, fields: Fields): void {
    const event = { type, ...fields, sequence_number: this.#sequence++ }
    this.#text += `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  }

  delta(frame: DeltaFrame, text: string, logprobs: readonly unknown[]): void {
    const more = frame.logprobs ? `,"logprobs":${JSON.stringify(logprobs)}` : ''
    const end = `,"sequence_number":${this.#sequence++}}\n\n`
    this.#text += frame.before + JSON.stringify(text) + more + end
  }

  /** An event of an upstream's, under our number. */
  pass(type: string, data: string): void {
    const number = `"sequence_number":${this.#sequence++}`
    const numbered = NUMBER.test(data)
      ? data.replace(NUMBER, number)
      : `${data.slice(0, data.lastIndexOf('}'))},${number}}`
    this.#text += `event: ${type}\ndata: ${numbered}\n\n`
  }

  written(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}

/** Inside of a text its quotes would be escaped. */
const NUMBER = /(?<!\\)"sequence_number":\s*\d+/

/** Most events of a stream are deltas of one item: all but their text is written once. */
export type DeltaFrame = { before: string; logprobs: boolean }

export function deltaFrame(type: string, place: Fields, logprobs: boolean): DeltaFrame {
  const start = JSON.stringify({ type, ...place }).slice(0, -1)
  return { before: `event: ${type}\ndata: ${start},"delta":`, logprobs }
}
