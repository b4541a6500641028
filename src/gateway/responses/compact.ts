import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { completeChat, orderChat, type ChatBody } from '../chat/chat.ts'
import { inCallersFields } from '../chat/dialects.ts'
import type { WholeForm } from '../chat/form.ts'
import { unixSeconds, usageOf } from './answer/response.ts'
import { readAsked, type AskedResponse } from './asked.ts'
import type { ResponseCall, Responses } from './responses.ts'
import { retryShortRateLimits } from './rate-limits.ts'
import type { ResponsesBody } from './request/body.ts'
import { unreadInResponses } from './request/chat-body.ts'
import { sealedSummary } from './request/compactions.ts'
import { kindOf } from './request/item-kinds.ts'
import { namedItem } from './stored/storage.ts'

const WISH =
  'Write a summary of this conversation for whoever takes it up without having seen it: what was asked for, what was decided and why, what was done and found (names, paths, figures, words that must be kept as they are), and what is still to be done. What the user said is kept beside it and need not be repeated. Write only the summary.'

/**
 * The conversation made short by a chat with its own model, which is priced and charged as the chat
 * that it is: the messages of the user, then a compaction that stands for all the rest.
 */
export async function compactResponse(
  responses: Responses,
  call: ResponseCall,
  body: ResponsesBody,
): Promise<Answer & { stored?: true }> {
  const { gateway } = responses
  const asked = await readAsked(responses, call, { ...body, text: undefined })
  const dialect = { unread: unreadInResponses(body, asked.model), wholeOutput: true as const }
  const form = compactionForm(responses, call, asked)
  try {
    return await retryShortRateLimits(call.signal, async () => {
      const order = await orderChat(gateway, call, summaryChat(asked.read.chat), dialect)
      return completeChat(gateway, call, order, form)
    })
  } catch (error) {
    throw inCallersFields(error, asked.read.origins, 'input')
  }
}

/** Upstreams refuse calls in a conversation without tools. None is to be called. */
function summaryChat(chat: ChatBody & Fields): ChatBody & Fields {
  const messages = [...chat.messages, { role: 'user', content: WISH }]
  const tools = chat.tools ?? calledTools(chat.messages)
  const uses = tools.length > 0 ? { tools, tool_choice: 'none' } : {}
  // Nor is it to have the form of an answer.
  const answers = { response_format: undefined, parallel_tool_calls: undefined, stream: undefined }
  return { ...chat, ...answers, ...uses, messages }
}

function calledTools(messages: readonly unknown[]): Fields[] {
  const calls = messages.flatMap((message) => listOf(fieldsOf(message).tool_calls))
  const names = new Set(calls.map((call) => fieldsOf(fieldsOf(call).function).name))
  return [...names].map((name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  }))
}

function compactionForm(responses: Responses, call: ResponseCall, asked: AskedResponse): WholeForm {
  const seed = randomBase62(24)
  const { accountId } = call.principal
  return ({ body }, usage) => {
    const summary = summaryIn(body)
    const encrypted_content = sealedSummary(summary, { keys: responses.keys, accountId })
    return {
      id: `resp_${seed}`,
      object: 'response.compaction',
      created_at: unixSeconds(responses.gateway.billing.clock),
      output: [
        ...userMessages(asked, seed),
        { id: `cmp_${seed}0`, type: 'compaction', encrypted_content },
      ],
      usage: usageOf(usage),
    }
  }
}

function summaryIn(completion: Fields): string {
  const [choice] = listOf(completion.choices).filter(isFields)
  const summary = textOf(fieldsOf(choice?.message).content)?.trim()
  if (summary) return summary
  throw new Failure('upstream_failed', 'The model wrote no summary. Try again, or another model.')
}

function userMessages({ whole }: AskedResponse, seed: string): Fields[] {
  return whole
    .filter((sent) => kindOf(sent) === 'message' && sent.item.role === 'user')
    .map(({ item }, i) => ({ ...namedItem(item, seed, i), status: 'completed' }))
}
