import { fieldsOf } from '../../lib/json.ts'
import { nativeMessages } from '../anthropic/native-stream.ts'
import type { Provider } from '../contract/contract.ts'
import { buildSpeech, readSpeech, readTranscription } from '../openai/audio.ts'
import { buildChat, readChat } from '../openai/chat.ts'
import { buildEmbeddings, readEmbeddings } from '../openai/embeddings.ts'
import {
  classifyOpenAiError,
  openAiErrorField,
  openAiErrorMessage,
  openAiUsage,
} from '../openai/fields.ts'
import { readImages } from '../openai/images.ts'
import { EMBEDDINGS, IMAGES, SPEECH, TRANSCRIPTION } from '../openai/passing.ts'
import { nativeResponses } from '../openai/responses.ts'
import { OpenAiReader } from '../openai/stream.ts'
import { readCatalog } from './catalog.ts'
import { buildImage, buildJsonTranscription, buildVideoContent, readVideoContent } from './media.ts'
import {
  OPENROUTER_CHAT,
  OPENROUTER_MESSAGES,
  OPENROUTER_RESPONSES,
  OPENROUTER_VIDEO,
} from './passing.ts'
import { buildVideoStart, buildVideoStatus, readVideoStart, readVideoStatus } from './video.ts'

const SESSION = 'session_id' as const

/** All modalities, and the only upstream that publishes prices. */
export const openrouter: Provider = {
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  chat: {
    passing: OPENROUTER_CHAT,
    build: buildChat,
    read: readChat,
    reader: (request) => new OpenAiReader(request),
    session: SESSION,
  },
  natively(dialect, target) {
    const { capability, maker } = NATIVE[dialect]
    return target.model.startsWith(maker) ? capability : undefined
  },
  embeddings: { passing: EMBEDDINGS, build: buildEmbeddings, read: readEmbeddings },
  transcription: { passing: TRANSCRIPTION, build: buildJsonTranscription, read: readTranscription },
  speech: { passing: SPEECH, build: buildSpeech, read: readSpeech },
  image: { passing: IMAGES, build: buildImage, read: readImages },
  video: {
    start: { passing: OPENROUTER_VIDEO, build: buildVideoStart, read: readVideoStart },
    status: { build: buildVideoStatus, read: readVideoStatus },
    content: { build: buildVideoContent, read: readVideoContent },
  },
  parsesFiles: true,
  keepsNothing: { provider: { data_collection: 'deny' } },
  models: readCatalog,
  probe: () => ({ method: 'GET', path: '/key', expects: 'json' }),
  usageIn: (json) => openAiUsage(fieldsOf(json).usage),
  classify: classifyOpenAiError,
  errorMessage: ({ body }) => openAiErrorMessage(body),
  errorField: ({ body }) => openAiErrorField(body),
}

/** Models of other makers get a translation there, which is no better than ours. */
const NATIVE = {
  messages: {
    capability: { ...nativeMessages, passing: OPENROUTER_MESSAGES, session: SESSION },
    maker: 'anthropic/',
  },
  responses: {
    capability: { ...nativeResponses, passing: OPENROUTER_RESPONSES, session: SESSION },
    maker: 'openai/',
  },
}
