import { fieldsOf, listOf, textOf, type Fields } from '../../../lib/json.ts'
import { prefixedId } from '../../../lib/ids.ts'
import { brokenCall, isCutOff } from '../../chat/dialects.ts'
import { JsonEnd } from '../../../lib/json-end.ts'
import { inputOf, wholeParts, type WholePart } from '../../chat/whole-parts.ts'
import { cutOffStatus, itemOf, renamedItem, shownItem } from './output-items.ts'
import {
  endOf,
  responseOf,
  type ResponseEnd,
  type ResponseStart,
  type ResponseTotals,
} from './response.ts'
import type { OwnTools } from '../request/tools.ts'

export type WholeAnswer = Pick<ResponseEnd, 'status' | 'incomplete' | 'output'>

/** Throws if a call cannot be made: such an answer is not charged. */
export function wholeAnswer(completion: Fields, head: ResponseStart, tools: OwnTools): WholeAnswer {
  const choice = fieldsOf(listOf(completion.choices)[0])
  const parts = wholeParts(fieldsOf(choice.message), () => prefixedId('call_'))
  const calls = parts.filter(({ kind }) => kind === 'call')
  const finish = textOf(choice.finish_reason) ?? null
  const wasCut = isCutOff(finish)
  for (const call of calls) if (call.whole || !wasCut) inputOf(call)
  const statusOf = (part: WholePart) =>
    wasCut && (part === parts.at(-1) || part.kind === 'call')
      ? cutOffStatus(part, calls.length > 0)
      : ('completed' as const)
  const names = { seed: head.seed, model: head.model, tools }
  const logprobs = listOf(fieldsOf(choice.logprobs).content)
  const output = parts.map((part) =>
    itemOf(names, part, {
      text: part.text,
      status: statusOf(part),
      logprobs: part.kind === 'text' ? logprobs : [],
    }),
  )
  const cutOff = calls.some((call) => statusOf(call) === 'incomplete')
  return { ...endOf(finish, { any: calls.length > 0, cutOff }), output }
}

/** An answer of an upstream that speaks this dialect. */
export function nativeAnswer(response: Fields, seed: string): WholeAnswer {
  const output = listOf(response.output).map(fieldsOf)
  refuseHalfItems(output, response.status)
  return { ...nativeFinish(response), output: output.map((item, i) => renamedItem(item, seed, i)) }
}

/** Throws where half a call is said to be complete. */
export function refuseHalfItems(output: readonly Fields[], status: unknown): void {
  const calls = output.filter(({ type }) => type === 'function_call')
  for (const { arguments: given } of status === 'incomplete' ? [] : calls) {
    const end = new JsonEnd()
    end.read(textOf(given) ?? '')
    if (end.half) throw brokenCall()
  }
}

export function nativeFinish(response: Fields): Pick<ResponseEnd, 'status' | 'incomplete'> {
  if (response.status !== 'incomplete') return { status: 'completed' }
  const reason = textOf(fieldsOf(response.incomplete_details).reason)
  return { status: 'incomplete', incomplete: reason }
}

/** Returns false if later requests cannot continue the response. */
export type StoreResponse = (response: () => Fields) => boolean

/** As shown to the caller; `store` gets it as stored. */
export function wholeResponse(
  answer: WholeAnswer,
  totals: ResponseTotals,
  { head, encrypted, store }: { head: ResponseStart; encrypted: boolean; store: StoreResponse },
): Fields {
  const stored = store(() => responseOf(head, { ...answer, ...totals }))
  const output = answer.output.map((item) => shownItem(item, encrypted))
  return responseOf(head, { ...answer, ...totals, store: stored, output })
}
