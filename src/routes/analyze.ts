import { z } from 'zod'
import { analysisFromForm, analysisFromJson, MEDIA_CAPS, MIB } from '../gateway/analysis-form.ts'
import { analyze } from '../gateway/analyze.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { MediaKind } from '../gateway/media/media-format.ts'
import { route, type Route } from '../http/route.ts'
import { stamp } from './fields.ts'

/** Room for everything but the file itself. */
const REST_BYTES = 64 * 1024

const media = z.object({
  data: z.string().meta({ description: 'Raw base64, not a data: URI' }),
  media_type: z.string().max(100).nullish(),
  filename: z.string().max(255).nullish(),
})

const text = z.string().max(100_000).nullish()

const shared = {
  model: z.string().min(1).max(256),
  prompt: text,
  instruction: text.meta({ description: 'Another name for prompt' }),
  max_tokens: z.int().min(1).max(10_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  language: z.string().max(64).nullish(),
}

const analysis = z.object({
  id: z.string().meta({ example: 'anl_8fKq2mZp4TnW9xLc7RbYvH3s' }),
  model: z.string(),
  text: z.string(),
  finish_reason: z.string().nullable(),
  usage: z.object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    cost_credits: z.number(),
  }),
  created_at: stamp,
})

type AnalyzeRoute = {
  kind: MediaKind
  path: string
  field: string
  summary: string
  description: string
}

const ROUTES: AnalyzeRoute[] = [
  {
    kind: 'document',
    path: '/v1/documents/analyze',
    field: 'document',
    summary: 'Analyze a PDF',
    description: 'What `prompt` asks is answered from the file: at most 15 MiB.',
  },
  {
    kind: 'vision',
    path: '/v1/vision/analyze',
    field: 'image',
    summary: 'Analyze an image',
    description: 'What `prompt` asks is answered from a JPEG, PNG, WebP or GIF: at most 10 MiB.',
  },
  {
    kind: 'video',
    path: '/v1/video/analyze',
    field: 'video',
    summary: 'Analyze a video',
    description: 'What `prompt` asks is answered from an MP4, MPEG, MOV or WebM: at most 8 MiB.',
  },
]

export function analyzeRoutes(gateway: Gateway): Route[] {
  return ROUTES.map(({ kind, path, field, summary, description }) =>
    route({
      method: 'POST',
      path,
      summary,
      description,
      tag: 'Analysis',
      credential: 'either',
      dialect: 'both',
      limit: 'principal',
      paid: true,
      replay: true,
      bodyKind: 'json-or-multipart',
      bodyLimitBytes: Math.ceil(MEDIA_CAPS[kind] / 3) * 4 + REST_BYTES,
      multipartLimitBytes: MEDIA_CAPS[kind] + REST_BYTES,
      fileLimit: { field, mib: MEDIA_CAPS[kind] / MIB },
      body: z.object({ ...shared, [field]: media }),
      response: analysis.extend({ object: z.literal(`${kind}.analysis`) }),
      handle: async (call) => {
        const request = call.form
          ? await analysisFromForm(kind, await call.form())
          : await analysisFromJson(
              kind,
              call.body,
              (call.body as unknown as MediaFields)[field]!,
              field,
            )
        return analyze(gateway, call, request, (success) => call.render(success))
      },
    }),
  )
}

type MediaFields = Record<string, z.infer<typeof media>>
