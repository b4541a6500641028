import { z } from 'zod'
import type { Gateway } from '../gateway/gateway.ts'
import { generateImages, type ImageBody } from '../gateway/images.ts'
import { route, type Route } from '../http/route.ts'

/** Only what the gateway reads; of the other fields pass those that a table of the upstream names. */
const body = z.looseObject({
  model: z.string().min(1).max(256),
  prompt: z.string().min(1).max(100_000),
  n: z.int().min(1).max(10).nullish(),
  size: z.string().max(32).nullish(),
  quality: z.string().max(32).nullish(),
  resolution: z.string().max(32).nullish(),
  response_format: z.literal('b64_json', 'must be b64_json or left out').nullish(),
  stream: z.literal(false, 'must be false or left out: images are not streamed').nullish(),
  input_references: z.array(z.unknown()).max(16).nullish(),
}) satisfies z.ZodType<ImageBody>

const pictures = z.array(
  z.object({
    b64_json: z.string(),
    media_type: z.string(),
    revised_prompt: z.string().optional(),
  }),
)

export function imageRoutes(gateway: Gateway): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/images/generations',
      summary: 'Generate images from a prompt, returned as base64',
      description:
        'One to ten at a time. Fields that are not listed here pass to models that know them.',
      tag: 'Images',
      credential: 'either',
      dialect: 'both',
      limit: 'principal',
      paid: true,
      replay: true,
      body,
      response: pictures,
      beside: {
        created: z.int(),
        model: z.string(),
        usage: z.looseObject({ cost_credits: z.number() }),
      },
      handle: (call) => generateImages(gateway, call, call.body, (success) => call.render(success)),
    }),
  ]
}
