import { sendJson } from './send.ts'
import { chat } from './chat.ts'
import { embeddings } from './embeddings.ts'
import type { Exchange } from './exchange.ts'
import { images } from './images.ts'
import { countMessage, messages } from './messages.ts'
import {
  imageEndpoints,
  keyFacts,
  listImageModels,
  listModels,
  listVideoModels,
} from './listing.ts'
import { responses } from './responses.ts'
import type { SimulatedModel } from './simulated-models.ts'
import { speech } from './speech.ts'
import { transcription } from './transcription.ts'
import type { VideoJobs } from './videos.ts'

type RouteContext = { models: () => SimulatedModel[]; videoJobs: VideoJobs }

type SimulatedRoute = {
  method: string
  path: RegExp
  /** As the journal names it. */
  name: string
  needsKey: boolean
  /** Output modalities of which the model must have one. */
  kinds?: readonly string[]
  handle(exchange: Exchange, context: RouteContext): void | Promise<void>
}

export type FoundRoute = SimulatedRoute & { id: string }

export function findRoute(method: string, pathname: string): FoundRoute | undefined {
  if (!pathname.startsWith(PREFIX)) return undefined
  const path = decodeURIComponent(pathname.slice(PREFIX.length))
  for (const route of ROUTES) {
    const found = route.method === method ? route.path.exec(path) : null
    if (found !== null) return { ...route, id: found[1] ?? '' }
  }
  return undefined
}

const PREFIX = '/api/v1'

const list = (name: string, handle: SimulatedRoute['handle']): SimulatedRoute => ({
  method: 'GET',
  path: new RegExp(`^${name}$`),
  name,
  needsKey: false,
  handle,
})

const work = (name: string, kinds: readonly string[], handle: SimulatedRoute['handle']) => ({
  method: 'POST',
  path: new RegExp(`^${name}$`),
  name,
  needsKey: true,
  kinds,
  handle,
})

const ROUTES: SimulatedRoute[] = [
  list('/models', (x, { models }) => sendJson(x, listModels(x, models()))),
  list('/videos/models', (x, { models }) => sendJson(x, listVideoModels(models()))),
  list('/images/models', (x, { models }) => sendJson(x, listImageModels(models()))),
  {
    ...list('/images/models/{id}/endpoints', (x, { models }) =>
      sendJson(x, imageEndpoints(x, models())),
    ),
    path: /^\/images\/models\/(.+)\/endpoints$/,
  },
  { ...list('/key', (x) => sendJson(x, keyFacts())), needsKey: true },
  work('/chat/completions', ['text', 'image', 'audio'], chat),
  work('/messages', ['text'], messages),
  work('/responses', ['text'], responses),
  work('/messages/count_tokens', ['text'], countMessage),
  work('/embeddings', ['embeddings'], embeddings),
  work('/images', ['image'], images),
  work('/audio/transcriptions', ['transcription'], transcription),
  work('/audio/speech', ['speech'], speech),
  work('/videos', ['video'], (x, { videoJobs }) => videoJobs.submit(x)),
  {
    method: 'GET',
    path: /^\/videos\/([^/]+)\/content$/,
    name: '/videos/{id}/content',
    needsKey: true,
    handle: (x, { videoJobs }) => videoJobs.content(x),
  },
  {
    method: 'GET',
    path: /^\/videos\/([^/]+)$/,
    name: '/videos/{id}',
    needsKey: true,
    handle: (x, { videoJobs }) => videoJobs.poll(x),
  },
]
