import type { Answer } from '../../lib/answer.ts'
import { invalidField } from '../../lib/failure.ts'
import { fieldsOf, type Fields } from '../../lib/json.ts'
import type { ChatParts, GatewayCall } from '../gateway.ts'
import { completeChat, orderChat, sessionIn, usageWish, type ChatBody } from './chat.ts'
import { CompletionText } from './completion-text.ts'
import { choiceOf } from './choice.ts'
import { inCallersFields } from './dialects.ts'
import { firstToAnswer } from './first-to-answer.ts'
import { chatStreamForm, type UsageFields } from './form.ts'
import { streamChat } from './stream.ts'

/** OpenAI's older completions: a chat of one message, whose answer is written as plain text. */
export type CompletionsBody = UsageFields & {
  model: string
  prompt?: unknown
  stream?: boolean | null | undefined
  max_tokens?: number | null | undefined
  n?: number | null | undefined
  best_of?: number | null | undefined
  logprobs?: number | null | undefined
  echo?: boolean | null | undefined
  suffix?: string | null | undefined
}

export async function complete(
  gateway: ChatParts,
  call: GatewayCall,
  body: CompletionsBody,
): Promise<Answer & { stored?: true }> {
  const prompt = promptOf(body.prompt)
  checkAsked(body)
  const unread = Object.keys(body).filter((name) => OF_CHATS.has(name))
  const session = sessionIn(fieldsOf(body), call.headers)
  const wish = usageWish(body)
  return firstToAnswer(gateway, call, choiceOf(chatBodyOf(body, prompt)), {
    order: async (one) => ({
      order: await inCallersWords(orderChat(gateway, call, one, { unread, session })),
    }),
    answer: async ({ order }) => {
      const text = new CompletionText(body.echo === true ? prompt : '')
      const answer = body.stream
        ? streamChat(gateway, call, order, chatStreamForm(order.request.ours, wish, text))
        : completeChat(gateway, call, order, (...made) => text.whole(...made), wish)
      return inCallersWords<Answer & { stored?: true }>(answer)
    },
  })
}

async function inCallersWords<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw inCallersFields(error, ['prompt'], 'prompt')
  }
}

const ONE_TEXT = 'must be one text: a string, or an array of one string'

function promptOf(prompt: unknown): string {
  const text: unknown = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt
  if (Array.isArray(text) && typeof text[0] === 'string') {
    throw invalidField('prompt', `${ONE_TEXT}. Send several prompts as several calls`)
  }
  if (typeof text !== 'string') throw invalidField('prompt', `${ONE_TEXT}, not tokens`)
  if (text === '') throw invalidField('prompt', 'must not be empty')
  return text
}

function checkAsked({ suffix, best_of: best, n, echo, logprobs }: CompletionsBody): void {
  if (suffix) throw invalidField('suffix', 'must be left out: models write only what follows')
  if ((best ?? 1) > (n ?? 1)) {
    throw invalidField('best_of', 'must be at most n: every answer that is paid for is shown')
  }
  if (echo === true && typeof logprobs === 'number') {
    throw invalidField('echo', 'must be left out with logprobs, which the prompt has not')
  }
}

/** Of a chat alone: what they ask for has no place in a text. */
const OF_CHATS = new Set(
  'messages tools tool_choice parallel_tool_calls functions function_call modalities audio prediction'.split(
    ' ',
  ),
)
const OWN = new Set(['prompt', 'suffix', 'best_of', 'echo', 'logprobs', 'top_logprobs'])

function chatBodyOf(body: CompletionsBody, prompt: string): ChatBody & Fields {
  const rest = Object.entries(fieldsOf(body)).filter(
    ([name]) => !OWN.has(name) && !OF_CHATS.has(name),
  )
  const { model, logprobs } = body
  const told = typeof logprobs === 'number' ? { logprobs: true, top_logprobs: logprobs } : {}
  const messages = [{ role: 'user', content: prompt }]
  return { ...Object.fromEntries(rest), ...told, model, messages }
}
