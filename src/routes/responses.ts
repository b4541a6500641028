import { z } from 'zod'
import type { ResponsesBody } from '../gateway/responses/request/body.ts'
import { countInput } from '../gateway/responses/asked.ts'
import { acceptResponse } from '../gateway/responses/background/acceptance.ts'
import { cancelResponse } from '../gateway/responses/background/show.ts'
import { compactResponse } from '../gateway/responses/compact.ts'
import { createResponse } from '../gateway/responses/create.ts'
import type { Responses } from '../gateway/responses/responses.ts'
import { ResponsesSocket, type ResponsesMessage } from '../gateway/responses/socket.ts'
import { route, type SocketPeer, type Route } from '../http/route.ts'
import { Failure } from '../lib/failure.ts'
import { choiceFields, sessionFields } from './fields.ts'
import {
  RESPONSE_LIMIT_BYTES,
  responseEvent,
  responseParams,
  responsePrompt,
  responseRoute,
  responseShape,
} from './stored-responses.ts'

/** Only what the gateway reads; clients send more with every release, and that is dropped. */
const body = responsePrompt.extend({
  max_output_tokens: z.int().min(1).max(10_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  max_tool_calls: z.int().min(0).max(1_000_000).nullish(),
  safety_identifier: z.string().max(1_024).nullish(),
  include: z.array(z.string().max(256)).max(100).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  ...choiceFields,
  ...sessionFields,
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish().meta({
    description:
      'Accept it now, answer it later: the response is read, or streamed again, by its id',
  }),
}) satisfies z.ZodType<ResponsesBody>

const usage = z.looseObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
})

const compaction = z.object({
  id: z.string().meta({ example: 'resp_8fKq2mZp4TnW9xLc7RbYvH3s' }),
  object: z.literal('response.compaction'),
  created_at: z.int(),
  output: z.array(z.looseObject({ type: z.string() })).meta({
    example: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Habari!' }] },
      { type: 'compaction', id: 'cmp_8fKq2mZp4TnW9xLc7RbYvH3s0', encrypted_content: 'mlgc1.Q2x…' },
    ],
  }),
  usage,
})

const counted = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: z.int().meta({ example: 14 }),
})
const streamId = z.string().min(1).max(64).nullish()

/** What is said on a WebSocket. */
const message = z.discriminatedUnion(
  'type',
  [
    body.extend({
      type: z.literal('response.create'),
      stream_id: streamId,
      generate: z.boolean().nullish(),
    }),
    z.object({
      type: z.literal('response.cancel'),
      stream_id: streamId,
      response_id: z.string().max(256).nullish(),
    }),
  ],
  'must be response.create or response.cancel',
) satisfies z.ZodType<ResponsesMessage>

export function responseRoutes(responses: Responses): Route[] {
  return [
    route({
      ...responseRoute,
      method: 'POST',
      path: '/v1/responses',
      summary: 'Create a response, streamed or whole',
      description:
        'As with the Responses API of OpenAI. Unless `store` is false it can be read later, and continued with `previous_response_id`. With `background` it is accepted at once and answered later: it can be read, cancelled and, with `stream`, streamed again by its id, in whichever process it runs. Leaving before the end is as with `/v1/chat/completions`. A WebSocket at this address takes the same fields in messages of the type `response.create`.',
      paid: true,
      replay: (sent: ResponsesBody) => sent.stream !== true,
      bodyLimitBytes: RESPONSE_LIMIT_BYTES,
      body,
      response: responseShape,
      events: responseEvent,
      refuses: ['rate_limited'],
      handle: (call) =>
        call.body.background === true
          ? acceptResponse(responses, call, call.body)
          : createResponse(responses, call, call.body),
    }),
    route({
      ...responseRoute,
      method: 'POST',
      path: '/v1/responses/compact',
      summary: 'Make a conversation short',
      description:
        'A chat with the model writes a summary, and costs what such a chat costs. Send `output` as the `input` of what follows: the messages of the user, and a `compaction` that stands for all the rest and can be read by your account alone.',
      paid: true,
      replay: true,
      bodyLimitBytes: RESPONSE_LIMIT_BYTES,
      body: responsePrompt,
      response: compaction,
      handle: (call) => compactResponse(responses, call, call.body),
    }),
    route({
      ...responseRoute,
      method: 'POST',
      path: '/v1/responses/input_tokens',
      summary: 'Estimate the tokens of what is sent for a response',
      description: 'Costs nothing. The body is that of `POST /v1/responses`.',
      bodyLimitBytes: RESPONSE_LIMIT_BYTES,
      body: responsePrompt,
      response: counted,
      refuses: ['not_found', 'insufficient'],
      handle: async (call) => ({ data: await countInput(responses, call, call.body) }),
    }),
    route({
      ...responseRoute,
      method: 'POST',
      path: '/v1/responses/:response_id/cancel',
      summary: 'Cancel a response that runs in the background',
      description:
        'It is not charged, unless what you left unpaid within a day is more than your allowance: then it goes on, and is answered as it is. One that has ended stays as it is.',
      params: responseParams,
      response: responseShape,
      refuses: ['invalid', 'not_found'],
      handle: async ({ params: { response_id: id }, principal: { accountId }, signal }) => ({
        data: await cancelResponse(responses.db, { accountId, id, encrypted: false }, signal),
      }),
    }),
    route({
      ...responseRoute,
      method: 'GET',
      path: '/v1/responses',
      summary: 'Opens a WebSocket; anything else is refused, since responses are not listed',
      refusesAll: true,
      socket: (connection) => messageRoute(responses, connection),
      handle: async () => {
        throw notListed()
      },
    }),
  ]
}

/** Each message of one connection. */
function messageRoute(responses: Responses, connection: SocketPeer): Route {
  const socket = new ResponsesSocket(responses, connection)
  return route({
    ...responseRoute,
    method: 'GET',
    path: '/v1/responses',
    summary: 'A message of a WebSocket',
    paid: true,
    bodyLimitBytes: RESPONSE_LIMIT_BYTES,
    body: message,
    handle: (call) => socket.take(call, call.body),
  })
}

function notListed(): Failure {
  const message = 'Responses cannot be listed. Use POST to create one, or open a WebSocket.'
  return new Failure('method_not_allowed', message, { headers: { allow: 'POST' } })
}
