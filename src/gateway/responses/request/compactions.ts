import { Failure } from '../../../lib/failure.ts'
import { textOf } from '../../../lib/json.ts'
import { seal, tryUnseal, type KeyList } from '../../../lib/secrets.ts'
import { kindOf, type SentItem } from './item-kinds.ts'

/*
 * What stands for a conversation that was compacted: its summary, sealed for its account. Nobody else
 * can read it, and nobody can make one.
 */
type Sealing = { keys: KeyList; accountId: string }

const MARK = 'mlgc1.'

export function sealedSummary(summary: string, { keys, accountId }: Sealing): string {
  return MARK + seal(keys[0], Buffer.from(summary), accountId).toString('base64url')
}

const HEADING = 'A summary of the conversation so far, which is no longer shown:'

/** Compactions become the messages that they stand for. */
export function withSummaries(items: readonly SentItem[], sealing: Sealing): SentItem[] {
  return items.map((sent) => (kindOf(sent) === 'compaction' ? summaryMessage(sent, sealing) : sent))
}

function summaryMessage({ item, at }: SentItem, sealing: Sealing): SentItem {
  const field = `${at}.encrypted_content`
  const text = `${HEADING}\n\n${opened(textOf(item.encrypted_content) ?? '', field, sealing)}`
  const content = [{ type: 'input_text', text }]
  return { item: { type: 'message', role: 'user', content }, at }
}

function opened(sealed: string, field: string, { keys, accountId }: Sealing): string {
  const bytes = sealed.startsWith(MARK) && Buffer.from(sealed.slice(MARK.length), 'base64url')
  const summary = bytes && bytes.length >= SHORTEST_SEAL && tryUnseal(keys, bytes, accountId)
  if (summary) return summary.toString()
  const message = `${field} was not made for this account. Send the items that it stands for, and compact them with POST /v1/responses/compact.`
  throw new Failure('invalid', message, { param: field, code: 'invalid_encrypted_content' })
}

/** Nonce and tag. */
const SHORTEST_SEAL = 28
