import { fieldsOf, type Fields } from '../../lib/json.ts'
import { nativeMessages } from '../anthropic/native-stream.ts'
import type { ChatCapability, Provider } from '../contract/contract.ts'
import { buildSpeech, readSpeech, readTranscription } from '../openai/audio.ts'
import { buildChat, readChat } from '../openai/chat.ts'
import { buildEmbeddings, readEmbeddings } from '../openai/embeddings.ts'
import {
  classifyOpenAiError,
  openAiErrorMessage,
  openAiUsage,
  isSteering,
} from '../openai/fields.ts'
import { readImages } from '../openai/images.ts'
import { nativeResponses } from '../openai/responses.ts'
import { OpenAiReader } from '../openai/stream.ts'
import { readCatalog } from './catalog.ts'
import { buildImage, buildJsonTranscription, buildVideoContent, readVideoContent } from './media.ts'
import { buildVideoStart, buildVideoStatus, readVideoStart, readVideoStatus } from './video.ts'

/** All modalities, and the only upstream that publishes prices. */
export const openrouter: Provider = {
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  chat: { build: buildChat, read: readChat, reader: (request) => new OpenAiReader(request) },
  natively(dialect, target) {
    const { capability, maker } = NATIVE[dialect]
    return target.model.startsWith(maker) ? capability : undefined
  },
  embeddings: { build: buildEmbeddings, read: readEmbeddings },
  transcription: { build: buildJsonTranscription, read: readTranscription },
  speech: { build: buildSpeech, read: readSpeech },
  image: { build: buildImage, read: readImages },
  video: {
    start: { build: buildVideoStart, read: readVideoStart },
    status: { build: buildVideoStatus, read: readVideoStatus },
    content: { build: buildVideoContent, read: readVideoContent },
  },
  parsesFiles: true,
  models: readCatalog,
  probe: () => ({ method: 'GET', path: '/key', expects: 'json' }),
  usageIn: (json) => openAiUsage(fieldsOf(json).usage),
  classify: classifyOpenAiError,
  errorMessage: ({ body }) => openAiErrorMessage(body),
}

/** A request here could also choose providers, plugins and other models. */
const messagesWithoutSteering: ChatCapability = {
  ...nativeMessages,
  build(request, target) {
    const native = request.native!
    const names = Object.keys(native.body).filter((name) => !isSteering(name))
    const body: Fields = Object.fromEntries(names.map((name) => [name, native.body[name]]))
    return nativeMessages.build({ ...request, native: { ...native, body } }, target)
  },
}

/** Models of other makers get a translation there, which is no better than ours. */
const NATIVE = {
  messages: { capability: messagesWithoutSteering, maker: 'anthropic/' },
  responses: { capability: nativeResponses, maker: 'openai/' },
}
