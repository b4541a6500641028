import { z } from 'zod'
import { chat, type ChatBody } from '../gateway/chat/chat.ts'
import { complete, type CompletionsBody } from '../gateway/chat/completions.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { route, type Route } from '../http/route.ts'
import { choiceFields, sessionFields } from './fields.ts'

const BODY_LIMIT_BYTES = 14_500_000

const tokens = z.int().min(1).max(10_000_000).nullish()

/** Only what the gateway reads; of the other fields pass those that a table of the upstream names. */
const body = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z
    .array(z.unknown())
    .min(1)
    .meta({
      description: 'Messages in the format of OpenAI, in order',
      example: [{ role: 'user', content: 'Habari ya asubuhi!' }],
    }),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  usage: z
    .looseObject({ include: z.boolean().nullish() })
    .nullish()
    .meta({ description: 'With `include` what the call cost is told in `usage.cost`' }),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  n: z.int().min(1).max(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  tools: z.array(z.unknown()).max(1_000).nullish().meta({
    description: 'Functions, and custom tools that take free text; every model is given both',
  }),
  tool_choice: z.unknown().optional().meta({
    description: 'With `allowed_tools` the model is given no others',
  }),
  modalities: z.array(z.string().max(32)).max(8).nullish(),
  ...choiceFields,
  ...sessionFields,
}) satisfies z.ZodType<ChatBody>

const usageShape = z
  .looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int().meta({ description: 'The sum of both' }),
    prompt_tokens_details: z
      .looseObject({ cached_tokens: z.int(), cache_write_tokens: z.int().optional() })
      .meta({ description: 'Parts of `prompt_tokens`' }),
    completion_tokens_details: z
      .looseObject({ reasoning_tokens: z.int() })
      .meta({ description: 'Parts of `completion_tokens`' }),
    cost: z.number().optional().meta({
      description: 'In credits, as the account is charged, with `usage: {"include": true}`',
      example: 0.0123,
    }),
  })
  .meta({ id: 'ChatUsage', description: 'What is charged: counted, or estimated by us' })

const completion = z.looseObject({
  id: z.string().meta({ example: 'chatcmpl-8fKq2mZp4TnW9xLc7RbYvH3s' }),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.string().nullish().meta({ example: 'Karibu! Nikusaidie nini leo?' }),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: usageShape,
})

const chunk = z.looseObject({
  id: z.string().meta({ example: 'chatcmpl-8fKq2mZp4TnW9xLc7RbYvH3s' }),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      delta: z.looseObject({
        role: z.string().optional(),
        content: z.string().nullish().meta({ example: 'Karibu!' }),
      }),
      finish_reason: z.string().nullable().meta({ example: null }),
    }),
  ),
  usage: usageShape.nullish().meta({ description: 'In the last one, with include_usage' }),
})

/** Fields of chats pass as they do there, where they have a meaning for a text. */
const completionsBody = body.omit({ messages: true, tools: true, modalities: true }).extend({
  prompt: z.unknown().meta({
    description: 'A text, or an array of one text',
    example: 'Habari ya asubuhi!',
  }),
  best_of: z.int().min(1).max(16).nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.int().min(0).max(5).nullish(),
  suffix: z.string().nullish().meta({ description: 'Refused unless it is empty' }),
}) satisfies z.ZodType<CompletionsBody>

const textCompletion = z.looseObject({
  id: z.string().meta({ example: 'cmpl-8fKq2mZp4TnW9xLc7RbYvH3s' }),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      text: z.string().meta({ example: 'Karibu! Nikusaidie nini leo?' }),
      logprobs: z.looseObject({}).nullable().meta({ example: null }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: usageShape
    .optional()
    .meta({ description: 'In a stream only in the last one, if asked for' }),
})

export function chatRoutes(gateway: Gateway): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/completions',
      summary: 'Continue a text, as the older API of OpenAI does, streamed or whole',
      description:
        'The prompt is sent as the one message of a chat, and is paid for as such. Several prompts in one call and prompts of tokens are refused.',
      tag: 'Text',
      credential: 'either',
      dialect: 'compatible',
      limit: 'principal',
      paid: true,
      replay: (sent: CompletionsBody) => sent.stream !== true,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      body: completionsBody,
      response: textCompletion,
      events: textCompletion,
      handle: (call) => complete(gateway, call, call.body),
    }),
    route({
      method: 'POST',
      path: '/v1/chat/completions',
      summary: 'Create a chat completion, streamed or whole',
      description:
        'As with OpenAI. With `stream` the answer is a stream of server-sent events that ends with `[DONE]`. Fields that are not listed here pass to models that know them. A caller who closes the connection before the end stops the model and is not charged, up to an allowance for any 24 hours (100 credits and a tenth of what the account spent in 30 days, unless the operator has set it otherwise); beyond it the answer is finished and charged, and the owner is told. No request is refused because callers left others.',
      tag: 'Text',
      credential: 'either',
      dialect: 'compatible',
      limit: 'principal',
      paid: true,
      replay: (sent: ChatBody) => sent.stream !== true,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      body,
      response: completion,
      events: chunk,
      handle: (call) => chat(gateway, call, call.body),
    }),
  ]
}
