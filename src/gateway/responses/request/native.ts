import { textOf, type Fields } from '../../../lib/json.ts'
import type { NativeRequest } from '../../../upstream/contract/contract.ts'
import { carriedDetails, isCarrier } from '../../chat/reasoning.ts'
import type { ResponsesBody } from './body.ts'
import type { AskedModel } from './chat-body.ts'
import { kindOf, type SentItem } from './item-kinds.ts'

/**
 * The request for an upstream that speaks this dialect: the whole conversation without ids, since
 * nothing is stored there.
 */
export function nativeResponsesRequest(
  body: ResponsesBody,
  items: readonly SentItem[],
  { model, responseId }: { model: AskedModel; responseId: string },
): NativeRequest {
  const input = items.flatMap((sent) => nativeItem(sent, model.id))
  const native: Fields = { ...body, input, include: includes(body, model) }
  return {
    dialect: 'responses',
    only: false,
    body: native,
    headers: {},
    ours: { id: responseId, model: model.id },
  }
}

function nativeItem(sent: SentItem, model: string): Fields[] {
  const { id: _id, ...item } = sent.item
  switch (kindOf(sent)) {
    case 'reasoning':
      return reasoning(item, model)
    case 'skipped':
      return []
    default:
      return [item]
  }
}

/** Without encrypted content it would be looked up there; our carrier would be refused. */
function reasoning(item: Fields, model: string): Fields[] {
  const { encrypted_content: carrier } = item
  if (typeof carrier !== 'string') return []
  if (!isCarrier(carrier)) return [item]
  const sealed = carriedDetails(carrier, model).find(({ type }) => type === 'reasoning.encrypted')
  const data = textOf(sealed?.data)
  return data === undefined ? [] : [{ ...item, encrypted_content: data }]
}

const ENCRYPTED = 'reasoning.encrypted_content'
const LOGPROBS = 'message.output_text.logprobs'

/**
 * Reasoning models always return their reasoning, since it is stored here; other models refuse the
 * field.
 */
function includes({ include }: ResponsesBody, { supportedParameters }: AskedModel) {
  const thinks = supportedParameters.some((name) => name.includes('reasoning'))
  const wanted = [
    ...(thinks || include?.includes(ENCRYPTED) ? [ENCRYPTED] : []),
    ...(include?.includes(LOGPROBS) ? [LOGPROBS] : []),
  ]
  return wanted.length === 0 ? undefined : wanted
}
