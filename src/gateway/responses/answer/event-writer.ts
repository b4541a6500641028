import type { Fields } from '../../../lib/json.ts'

/** Writes events with consecutive numbers, until they are fetched. */
export class EventWriter {
  #text = ''
  #sequence: number

  constructor(first = 0) {
    this.#sequence = first
  }

  /** The number of the next event. */
  get next(): number {
    return this.#sequence
  }

  write(type: string, fields: Fields): void {
    this.writeMembers(type, JSON.stringify(fields).slice(1, -1))
  }

  /** `members` is JSON, for what is written more than once. */
  writeMembers(type: string, members: string): void {
    const more = members === '' ? '' : `,${members}`
    const number = `,"sequence_number":${this.#sequence++}`
    this.#text += `event: ${type}\ndata: {"type":"${type}"${more}${number}}\n\n`
  }

  delta(frame: DeltaFrame, text: string, logprobs: readonly unknown[]): void {
    const more = frame.logprobs ? `,"logprobs":${JSON.stringify(logprobs)}` : ''
    const end = `,"sequence_number":${this.#sequence++}}\n\n`
    this.#text += frame.before + JSON.stringify(text) + more + end
  }

  /** An upstream's event, with our number in place of its own. */
  pass(type: string, start: string, end: string): void {
    this.#text += `event: ${type}\ndata: ${start}${numbered(end, this.#sequence++)}\n\n`
  }

  written(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}

/** Inside a text its quotes would be escaped. */
const NUMBER = '"sequence_number":'

function numbered(data: string, number: number): string {
  const at = data.lastIndexOf(NUMBER)
  if (at < 0) return `${data.slice(0, data.lastIndexOf('}'))},${NUMBER}${number}}`
  const from = at + NUMBER.length
  let to = from
  while (isNumeral(data.charCodeAt(to))) to++
  return data.slice(0, from) + number + data.slice(to)
}

function isNumeral(letter: number): boolean {
  return (letter >= 0x30 && letter <= 0x39) || letter === 0x20
}

/** Most events are deltas of one item: everything but their text is written once. */
export type DeltaFrame = { before: string; logprobs: boolean }

export function deltaFrame(type: string, place: Fields, logprobs: boolean): DeltaFrame {
  const start = JSON.stringify({ type, ...place }).slice(0, -1)
  return { before: `event: ${type}\ndata: ${start},"delta":`, logprobs }
}
