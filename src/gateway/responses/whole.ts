import { fieldsOf, listOf, textOf, type Fields } from '../../lib/fields.ts'
import { prefixedId } from '../../lib/ids.ts'
import { inputOf, wholeParts, type WholePart } from '../chat/whole-parts.ts'
import { itemOf, shownItem, type ItemStatus } from './output-items.ts'
import { endOf, responseOf, type ResponseEnd, type ResponseHead } from './response.ts'
import type { OwnTools } from './tools.ts'

/** What a whole chat answer says, before its cost is known. */
export type WholeAnswer = Pick<ResponseEnd, 'status' | 'incomplete' | 'output'>

/** Throws if it calls a tool in a way that nobody could: such an answer is not charged for. */
export function wholeAnswer(completion: Fields, head: ResponseHead, tools: OwnTools): WholeAnswer {
  const choice = fieldsOf(listOf(completion.choices)[0])
  const parts = wholeParts(fieldsOf(choice.message), () => prefixedId('call_'))
  const calls = parts.filter(({ kind }) => kind === 'call')
  for (const call of calls) inputOf(call)
  const end = endOf(textOf(choice.finish_reason) ?? null, calls.length > 0)
  const names = { seed: head.seed, model: head.model, tools }
  const logprobs = listOf(fieldsOf(choice.logprobs).content)
  const said = (part: WholePart) => ({
    text: part.text,
    status: statusOf(part, parts, end),
    logprobs: part.kind === 'text' ? logprobs : [],
  })
  return { ...end, output: parts.map((part) => itemOf(names, part, said(part))) }
}

/** As it is kept, and as it is shown. */
export function wholeResponse(
  answer: WholeAnswer,
  { head, usage, encrypted }: { head: ResponseHead; usage: Fields; encrypted: boolean },
): { kept: Fields; shown: Fields } {
  const kept = responseOf(head, { ...answer, usage })
  const output = answer.output.map((item) => shownItem(item, encrypted))
  return { kept, shown: { ...kept, output } }
}

/** Only the last one can have been cut off. */
function statusOf(part: WholePart, parts: WholePart[], end: { status: string }): ItemStatus {
  return end.status === 'incomplete' && part === parts.at(-1) ? 'incomplete' : 'completed'
}
