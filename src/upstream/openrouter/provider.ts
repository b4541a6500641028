import { anthropicWords } from '../anthropic/native.ts'
import type { Provider } from '../contract/contract.ts'
import { buildSpeech, readSpeech, readTranscription } from '../openai/audio.ts'
import { buildChat, readChat } from '../openai/chat.ts'
import { buildEmbeddings, readEmbeddings } from '../openai/embeddings.ts'
import { openAiFailure } from '../openai/failure.ts'
import { readImages } from '../openai/images.ts'
import { OpenAiReader } from '../openai/stream.ts'
import { readCatalog } from './catalog.ts'
import { buildImage, buildJsonTranscription, buildVideoContent, readVideoContent } from './media.ts'
import { chatOrMessages, speaksMessages } from './messages.ts'
import { buildVideoStart, buildVideoStatus, readVideoStart, readVideoStatus } from './video.ts'

/** Every modality, and the one upstream that publishes a catalog with prices. */
export const openrouter: Provider = {
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  chat: { build: buildChat, read: readChat, reader: (request) => new OpenAiReader(request) },
  native: chatOrMessages,
  speaks: (dialect, target) => dialect === 'messages' && speaksMessages(target),
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
  failure: openAiFailure,
  words: ({ body }) => anthropicWords(body),
}
