import { fieldsOf } from '../../lib/json.ts'
import type { ChatCapability, Provider } from '../contract/contract.ts'
import { buildSpeech, buildTranscription, readSpeech, readTranscription } from './audio.ts'
import { buildChat, readChat } from './chat.ts'
import { buildEmbeddings, readEmbeddings } from './embeddings.ts'
import { classifyOpenAiError, openAiErrorField, openAiErrorMessage, openAiUsage } from './fields.ts'
import { buildImages, readImages } from './images.ts'
import { nativeResponses } from './responses.ts'
import { CHAT, EMBEDDINGS, IMAGES, SPEECH, TRANSCRIPTION } from './passing.ts'
import { OpenAiReader } from './stream.ts'

const chat: ChatCapability = {
  passing: CHAT,
  build: buildChat,
  read: readChat,
  reader: (request) => new OpenAiReader(request),
}

const chatOnly: Provider = {
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  chat,
  embeddings: { passing: EMBEDDINGS, build: buildEmbeddings, read: readEmbeddings },
  transcription: { passing: TRANSCRIPTION, build: buildTranscription, read: readTranscription },
  speech: { passing: SPEECH, build: buildSpeech, read: readSpeech },
  image: { passing: IMAGES, build: buildImages, read: readImages },
  probe: () => ({ method: 'GET', path: '/models', expects: 'json' }),
  usageIn: (json) => openAiUsage(fieldsOf(json).usage),
  classify: classifyOpenAiError,
  errorMessage: ({ body }) => openAiErrorMessage(body),
  errorField: ({ body }) => openAiErrorField(body),
}

/**
 * OpenAI and every server that speaks its format. Many know only chat, so Responses pass unchanged
 * only where configured.
 */
export const openai: Provider = {
  ...chatOnly,
  withResponses: {
    ...chatOnly,
    chat: { ...chat, session: 'prompt_cache_key' },
    natively: (dialect) => (dialect === 'responses' ? nativeResponses : undefined),
  },
}
