import { z } from 'zod'
import type { ResponsesBody } from '../gateway/responses/request/body.ts'
import { createResponse, type Responses } from '../gateway/responses/create.ts'
import { ResponsesSocket, type ResponsesMessage } from '../gateway/responses/socket.ts'
import { route, type SocketPeer, type Route } from '../http/route.ts'
import { Failure } from '../lib/failure.ts'
import { responseParams, responseRoute, responseShape } from './stored-responses.ts'

const BODY_LIMIT_BYTES = 14_500_000

/** Only what the gateway reads; clients send more with every release, and that is dropped. */
const body = z.looseObject({
  model: z.string().min(1).max(256),
  input: z
    .union([z.string(), z.array(z.unknown())], 'must be a string or an array of items')
    .nullish()
    .meta({
      description: 'A text, or items in the format of OpenAI, in order',
      example: 'Habari ya asubuhi!',
    }),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).max(10_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  tools: z.array(z.unknown()).max(1_000).nullish(),
  text: z.looseObject({}).nullish(),
  reasoning: z.looseObject({}).nullish(),
  include: z.array(z.string().max(256)).max(100).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  prompt_cache_key: z.string().max(1_024).nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().max(256).nullish(),
  stream: z.boolean().nullish(),
}) satisfies z.ZodType<ResponsesBody>

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
        'As with the Responses API of OpenAI. Unless `store` is false it can be read later, and continued with `previous_response_id`. Leaving before the end is as with `/v1/chat/completions`. A WebSocket at this address takes the same fields in messages of the type `response.create`.',
      paid: true,
      replay: (sent: ResponsesBody) => sent.stream !== true,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      body,
      response: responseShape,
      events: z.looseObject({
        type: z.string().meta({ example: 'response.output_text.delta' }),
        sequence_number: z.int().meta({ example: 4 }),
        delta: z.unknown().meta({ example: 'Karibu!' }),
      }),
      handle: (call) => createResponse(responses, call, call.body),
    }),
    route({
      ...responseRoute,
      method: 'POST',
      path: '/v1/responses/:response_id/cancel',
      summary: 'Always refused: no response runs in the background',
      params: responseParams,
      refusesAll: true,
      handle: async () => {
        throw notInBackground()
      },
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
    bodyLimitBytes: BODY_LIMIT_BYTES,
    body: message,
    handle: (call) => socket.take(call, call.body),
  })
}

function notInBackground(): Failure {
  return new Failure('invalid', 'This response does not run in the background.', {
    param: 'response_id',
  })
}

function notListed(): Failure {
  const message = 'Responses cannot be listed. Use POST to create one, or open a WebSocket.'
  return new Failure('method_not_allowed', message, { headers: { allow: 'POST' } })
}
