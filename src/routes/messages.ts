import { z } from 'zod'
import type { MessagesBody } from '../gateway/messages/body.ts'
import { countTokens, messages } from '../gateway/messages/messages.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { route, type Route } from '../http/route.ts'
import { fallbackFields, sessionFields } from './fields.ts'

const BODY_LIMIT_BYTES = 14_500_000

/** Only what the gateway reads. Each release of the clients sends more: that is never an error. */
const counted = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z
    .array(z.unknown())
    .min(1)
    .meta({
      description: 'Messages in the format of Anthropic, in order',
      example: [{ role: 'user', content: 'Habari ya asubuhi!' }],
    }),
  system: z.unknown().optional(),
  tools: z.array(z.unknown()).max(1_000).nullish(),
  tool_choice: z.unknown().optional(),
  thinking: z.unknown().optional(),
  output_config: z.unknown().optional(),
})

const body = counted.extend({
  max_tokens: z.int().min(1).max(10_000_000).meta({ example: 1_024 }),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().min(0).max(1_000_000).nullish(),
  stop_sequences: z.array(z.string()).max(1_000).nullish(),
  session_id: sessionFields.session_id,
  ...fallbackFields,
}) satisfies z.ZodType<MessagesBody>

const message = z.looseObject({
  id: z.string().meta({ example: 'msg_8fKq2mZp4TnW9xLc7RbYvH3s' }),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z
    .array(z.looseObject({ type: z.string() }))
    .meta({ example: [{ type: 'text', text: 'Karibu! Nikusaidie nini leo?' }] }),
  stop_reason: z.string().meta({ example: 'end_turn' }),
  stop_sequence: z.string().nullable().meta({ example: null }),
  stop_details: z
    .looseObject({ type: z.string() })
    .nullable()
    .meta({ description: 'Of a refusal', example: null }),
  container: z.looseObject({}).nullable().meta({ example: null }),
  diagnostics: z.looseObject({}).nullable().meta({ example: null }),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
})

const event = z.looseObject({
  type: z.enum([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
    'ping',
  ]),
})

export function messagesRoutes(gateway: Gateway): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/messages',
      summary: 'Create a message, as with the Messages API, streamed or whole',
      description:
        'Point a client of Anthropic at this service. With `stream` the answer is a stream of server-sent events. Leaving before the end is as with `/v1/chat/completions`.',
      tag: 'Text',
      credential: 'either',
      dialect: 'messages',
      limit: 'principal',
      paid: true,
      replay: (sent: MessagesBody) => sent.stream !== true,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      body,
      response: message,
      events: event,
      handle: (call) => messages(gateway, call, call.body),
    }),
    route({
      method: 'POST',
      path: '/v1/messages/count_tokens',
      summary: 'Estimate the tokens of a message',
      description: 'Costs nothing. Some models count exactly, for others it is an estimate.',
      tag: 'Text',
      credential: 'either',
      dialect: 'messages',
      limit: 'principal',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      body: counted,
      response: z.object({ input_tokens: z.int() }),
      refuses: ['not_found'],
      handle: async (call) => ({ data: await countTokens(gateway, call, call.body) }),
    }),
  ]
}
