import type { ModelTarget, Provider } from '../contract/contract.ts'
import { buildSpeech, readSpeech, readTranscription } from '../openai/audio.ts'
import { buildChat, readChat } from '../openai/chat.ts'
import { buildEmbeddings, readEmbeddings } from '../openai/embeddings.ts'
import { classifyOpenAiError, openAiErrorMessage } from '../openai/errors.ts'
import { readImages } from '../openai/images.ts'
import { nativeResponses } from '../openai/responses.ts'
import { OpenAiReader } from '../openai/stream.ts'
import { readCatalog } from './catalog.ts'
import { buildImage, buildJsonTranscription, buildVideoContent, readVideoContent } from './media.ts'
import { messagesThere, speaksMessages } from './messages.ts'
import { buildVideoStart, buildVideoStatus, readVideoStart, readVideoStatus } from './video.ts'

/** Every modality, and the one upstream that publishes a catalog with prices. */
export const openrouter: Provider = {
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  chat: { build: buildChat, read: readChat, reader: (request) => new OpenAiReader(request) },
  natively(dialect, target) {
    if (dialect === 'messages') return speaksMessages(target) ? messagesThere : undefined
    return isOpenAis(target) ? nativeResponses : undefined
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
  probe: () => ({ method: 'GET', path: '/key', headers: {}, expects: 'json' }),
  classify: classifyOpenAiError,
  errorMessage: ({ body }) => openAiErrorMessage(body),
}

/** Other models speak it there too, but in a translation that is no better than ours. */
function isOpenAis({ model }: ModelTarget): boolean {
  return model.startsWith('openai/')
}
