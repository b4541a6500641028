import type { CallWrite } from '../../bill/rows.ts'
import { Failure } from '../../../lib/failure.ts'
import { fieldsOf, textOf, type Fields } from '../../../lib/json.ts'
import type { SentItem } from '../request/item-kinds.ts'
import { insertStoredResponse, type NewStoredResponse } from './stored-responses-store.ts'

export type ResponseStorage = {
  /** Whether a response of usual length could be continued. */
  possible: boolean
  /** Called once. False: later requests cannot continue the response. */
  store(response: () => Fields): boolean
  /** Written in the settling commit. */
  writes(): CallWrite[]
  /** The answer broke off after it had begun. */
  failed?(): void
}

/** Of a response and its input. */
const LARGEST_STORED_BYTES = 1_000_000
/** Of one that can be read nowhere else. */
const LARGEST_IN_BACKGROUND_BYTES = 2_000_000

export const NO_STORAGE: ResponseStorage = {
  possible: false,
  store: () => false,
  writes: () => [],
}

export function storageFor(
  about: {
    accountId: string
    seed: string
    previousId: string | undefined
    days: number
    /** It must be stored: what is too large for that is a failure. */
    inBackground?: boolean | undefined
  },
  sent: readonly SentItem[],
): ResponseStorage {
  const { accountId, seed, previousId, days, inBackground = false } = about
  const most = inBackground ? LARGEST_IN_BACKGROUND_BYTES : LARGEST_STORED_BYTES
  const sentText = JSON.stringify(sent.map(({ item }, i) => namedItem(item, seed, i)))
  const input = Buffer.byteLength(sentText) > LARGEST_STORED_BYTES ? undefined : sentText
  let stored: NewStoredResponse | undefined
  return {
    possible: input !== undefined,
    store(response) {
      const made = response()
      const text = JSON.stringify(made)
      const bytes = Buffer.byteLength(text)
      const whole = input !== undefined && bytes + Buffer.byteLength(input) <= most
      if (inBackground && !whole) throw tooLongToStore()
      // Without its input, if that is too long, it can be neither read nor continued: only its items
      // can be referred to.
      if (bytes <= most) {
        const id = `resp_${seed}`
        stored = {
          accountId,
          id,
          previousId,
          input: whole ? input : undefined,
          response: text,
          promptTokens: promptTokensOf(made),
          days,
        }
      }
      return whole
    },
    writes() {
      const row = stored
      return row === undefined ? [] : [{ write: (tx) => insertStoredResponse(tx, row) }]
    },
  }
}

function tooLongToStore(): Failure {
  return new Failure('upstream_failed', 'The answer is too long to be stored. Ask for less.')
}

function promptTokensOf({ usage }: Fields): number | undefined {
  const { input_tokens: tokens } = fieldsOf(usage)
  return Number.isSafeInteger(tokens) ? (tokens as number) : undefined
}

const PREFIXES = new Map<unknown, string>([
  ['reasoning', 'rs_'],
  ['function_call', 'fc_'],
  ['function_call_output', 'fco_'],
  ['custom_tool_call', 'ctc_'],
  ['custom_tool_call_output', 'ctco_'],
  ['shell_call', 'sh_'],
  ['shell_call_output', 'sho_'],
  ['local_shell_call', 'lsh_'],
  ['local_shell_call_output', 'lsho_'],
  ['apply_patch_call', 'apc_'],
  ['apply_patch_call_output', 'apco_'],
  ['additional_tools', 'at_'],
  ['compaction', 'cmp_'],
])

/** Items are listed with an id, and a string as a message. */
export function namedItem(item: Fields, seed: string, position: number): Fields {
  const type = item.type ?? 'message'
  const id = textOf(item.id) ?? `${PREFIXES.get(type) ?? 'msg_'}${seed}i${position}`
  const named = { ...item, id, type }
  if (type !== 'message' || typeof item.content !== 'string') return named
  const part = item.role === 'assistant' ? 'output_text' : 'input_text'
  return { ...named, content: [{ type: part, text: item.content }] }
}
