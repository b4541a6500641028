import type { CallWrite } from '../../bill/rows.ts'
import { textOf, type Fields } from '../../../lib/fields.ts'
import type { SentItem } from '../request/item-kinds.ts'
import { insertKept, type NewKept } from './kept-store.ts'

/** Remembers one response for later requests. */
export type Keeper = {
  /** Called once, with the response as it is to be kept. False: later requests cannot continue it. */
  keep(response: () => Fields): boolean
  /** For the commit that settles the call. */
  writes(): CallWrite[]
}

/** Of one response, with what was sent for it. */
const LARGEST_KEPT_BYTES = 1_000_000

export const KEEPS_NOTHING: Keeper = { keep: () => false, writes: () => [] }

export function keeperOf(
  about: { accountId: string; seed: string; previousId: string | undefined; days: number },
  sent: readonly SentItem[],
): Keeper {
  const { accountId, seed, previousId, days } = about
  const input = JSON.stringify(sent.map(({ item }, i) => namedItem(item, seed, i)))
  let kept: NewKept | undefined
  return {
    keep(response) {
      const text = JSON.stringify(response())
      const bytes = Buffer.byteLength(text)
      const whole = bytes + Buffer.byteLength(input) <= LARGEST_KEPT_BYTES
      // Without what was sent, its items can still be referred to.
      if (bytes <= LARGEST_KEPT_BYTES) {
        const id = `resp_${seed}`
        kept = { accountId, id, previousId, input: whole ? input : undefined, response: text, days }
      }
      return whole
    },
    writes() {
      const row = kept
      return row === undefined ? [] : [{ write: (tx) => insertKept(tx, row) }]
    },
  }
}

const PREFIXES = new Map<unknown, string>([
  ['reasoning', 'rs_'],
  ['function_call', 'fc_'],
  ['function_call_output', 'fco_'],
  ['custom_tool_call', 'ctc_'],
  ['custom_tool_call_output', 'ctco_'],
  ['additional_tools', 'at_'],
])

/** Items are listed with an id, and a text as the message that it stands for. */
function namedItem(item: Fields, seed: string, position: number): Fields {
  const type = item.type ?? 'message'
  const id = textOf(item.id) ?? `${PREFIXES.get(type) ?? 'msg_'}${seed}i${position}`
  const named = { ...item, id, type }
  if (type !== 'message' || typeof item.content !== 'string') return named
  const part = item.role === 'assistant' ? 'output_text' : 'input_text'
  return { ...named, content: [{ type: part, text: item.content }] }
}
