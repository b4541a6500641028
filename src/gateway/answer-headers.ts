import { creditsText } from '../billing/money.ts'
import type { Receipt } from './bill/rows.ts'

export { JSON_TYPE } from '../lib/answer.ts'

/** What the call cost and what is left, and the upstream's own id for support. */
export function answerHeaders(
  requestId: string,
  receipt: Receipt,
  generationId: string | undefined,
): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-credits-charged': creditsText(receipt.chargedMicro),
    ...(receipt.remainingMicro === undefined
      ? {}
      : { 'x-credits-remaining': creditsText(receipt.remainingMicro) }),
    ...(generationId === undefined ? {} : { 'x-generation-id': generationId }),
  }
}
