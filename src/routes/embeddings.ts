import { z } from 'zod'
import { embed, type EmbeddingsBody } from '../gateway/embed.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { route, type Route } from '../http/route.ts'

const body = z.looseObject({
  model: z.string().min(1).max(256),
  input: z.unknown().meta({
    description: 'A string, an array of strings, an array of tokens, or an array of token arrays',
    example: 'Habari ya asubuhi!',
  }),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(100_000).nullish(),
}) satisfies z.ZodType<EmbeddingsBody>

const vectors = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: z.int(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
})

export function embeddingsRoutes(gateway: Gateway): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/embeddings',
      summary: 'Create embedding vectors',
      description: 'As with OpenAI: one vector for each input, in order, as numbers or as base64.',
      tag: 'Text',
      credential: 'either',
      dialect: 'compatible',
      limit: 'principal',
      paid: true,
      replay: true,
      body,
      response: vectors,
      handle: (call) => embed(gateway, call, call.body),
    }),
  ]
}
