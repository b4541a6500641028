import type { Provider } from './contract.ts'
import { readGenerated } from './gemini-answer.ts'
import { buildBatchEmbed, readBatchEmbed } from './gemini-embeddings.ts'
import { geminiFailure } from './gemini-failure.ts'
import { buildGenerate } from './gemini-request.ts'
import { createSignatures } from './gemini-signatures.ts'
import type { Signatures } from './gemini-signatures.ts'
import { GeminiReader } from './gemini-stream.ts'

/** generateContent, translated to and from the chat format. */
export function createGemini(signatures: Signatures = createSignatures()): Provider {
  return {
    credential: (key) => ({ 'x-goog-api-key': key }),
    chat: {
      build: (request, target) => buildGenerate(request, target, signatures),
      read: (answer, request) => readGenerated(answer, request, signatures),
      reader: (request) => new GeminiReader(request, signatures),
    },
    embeddings: { build: buildBatchEmbed, read: readBatchEmbed },
    probe: () => ({ method: 'GET', path: '/models?pageSize=1', headers: {}, expects: 'json' }),
    failure: geminiFailure,
  }
}
