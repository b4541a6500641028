import { z } from 'zod'
import { creditsNumber } from '../ledger/money.ts'
import {
  listVideos,
  showVideo,
  submitVideo,
  type VideoBody,
  type Videos,
} from '../gateway/videos/videos.ts'
import { videoContent } from '../gateway/videos/content.ts'
import { VIDEO_JOB_STATUSES, type VideoJobView } from '../gateway/videos/jobs-store.ts'
import { route, type Route } from '../http/route.ts'
import { pageQuery, pagination, stamp } from './fields.ts'

const LONGEST_S = 3_600

/** Only what the gateway reads or can judge; other fields pass to the model as they are. */
const body = z.looseObject({
  model: z.string().min(1).max(256),
  prompt: z.string().min(1).max(100_000),
  duration: z.number().positive().max(LONGEST_S).nullish(),
  seconds: z
    .union([z.number(), z.string().regex(/^\d{1,4}(?:\.\d{1,3})?$/)], 'must be a number of seconds')
    .refine((value) => Number(value) > 0 && Number(value) <= LONGEST_S, `must be 1 to ${LONGEST_S}`)
    .nullish(),
  resolution: z.string().max(32).nullish(),
  aspect_ratio: z.string().max(32).nullish(),
  size: z.string().max(32).nullish(),
  generate_audio: z.boolean().nullish(),
  seed: z
    .unknown()
    .optional()
    .meta({ description: 'Passes to the model as it is, as every other field does' }),
  n: z.literal(1, 'must be 1 or left out: a job makes one video').nullish(),
  stream: z.literal(false, 'must be false or left out: videos are not streamed').nullish(),
}) satisfies z.ZodType<VideoBody>

/** Checked before anything is looked up or fetched: an id goes into a path of an upstream's. */
const params = z.object({
  job_id: z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
})

const accepted = z.object({
  job_id: z.uuid(),
  status: z.literal('pending'),
  created_at: stamp,
})

const job = z.object({
  job_id: z.uuid(),
  status: z.enum(VIDEO_JOB_STATUSES),
  model: z.string(),
  created_at: stamp,
  updated_at: stamp,
  usage: z.object({ cost_credits: z.number() }).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})

const listQuery = z.object({
  ...pageQuery,
  status: z.enum(VIDEO_JOB_STATUSES).optional().meta({ description: 'Only jobs in this state' }),
})

const shared = { tag: 'Video', credential: 'either', dialect: 'both', limit: 'principal' } as const

export function videoRoutes(videos: Videos): Route[] {
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/v1/videos',
      summary: 'Start a video job',
      description:
        'It takes a minute or more: read the job every 30 to 60 seconds until its status is final. Only a completed video is charged. Duration, resolution, aspect ratio and size must be among those that the model names, if it names any.',
      paid: true,
      replay: true,
      successStatus: 202,
      body,
      response: accepted,
      handle: (call) =>
        submitVideo(videos, call, call.body, ({ id, createdAt }) =>
          call.render({
            data: { job_id: id, status: 'pending', created_at: createdAt.toISOString() },
          }),
        ),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/videos',
      summary: 'List the video jobs of the account, newest first',
      description: 'Jobs of all its API keys and sessions.',
      query: listQuery,
      response: z.array(job),
      async handle({ query, principal: { accountId } }) {
        const { status, limit, offset } = query
        const { jobs, total } = await listVideos(videos, { accountId, status, limit, offset })
        const hasMore = offset + jobs.length < total
        return { data: jobs.map(view), beside: pagination(query, { total, hasMore }) }
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/videos/:job_id',
      summary: 'Read the status of a video job',
      description:
        '`usage` is there once it is completed; `error` says why it failed, was cancelled or expired.',
      params,
      response: job,
      handle: async ({ params: { job_id: id }, principal }) => ({
        data: view(await showVideo(videos, { id, accountId: principal.accountId })),
      }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/videos/:job_id/content',
      summary: 'Download a finished video',
      description:
        'As long as it is kept, which is not for ever: 409 before it is ready, 410 when it is gone.',
      params,
      answerType: 'video/mp4',
      honours: 'range',
      refuses: ['conflict', 'gone', 'upstream_failed'],
      handle: (call) =>
        videoContent(videos, call, {
          id: call.params.job_id,
          range: call.headers.range as string | undefined,
        }),
    }),
  ]
}

function view(found: VideoJobView): z.infer<typeof job> {
  const { id, status, model, createdAt, updatedAt, costMicro, error } = found
  return {
    job_id: id,
    status,
    model,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    usage: costMicro === undefined ? undefined : { cost_credits: creditsNumber(costMicro) },
    error,
  }
}
