import { fieldsOf } from '../../lib/json.ts'
import type { Provider } from '../contract/contract.ts'
import { readGenerated } from './answer.ts'
import { buildBatchEmbed, readBatchEmbed } from './embeddings.ts'
import { classifyGeminiError, geminiErrorMessage } from './errors.ts'
import { CHAT_AS_CONTENTS, EMBEDDINGS_AS_CONTENTS } from './passing.ts'
import { buildGenerate } from './request.ts'
import { createSignatures } from './signatures.ts'
import { GeminiReader } from './stream.ts'
import { geminiUsage } from './usage.ts'

const signatures = createSignatures()

/** generateContent, from and to the chat format. */
export const gemini: Provider = {
  credential: (key) => ({ 'x-goog-api-key': key }),
  chat: {
    passing: CHAT_AS_CONTENTS,
    build: (request, target) => buildGenerate(request, target, signatures),
    read: (answer, request) => readGenerated(answer, request, signatures),
    reader: (request) => new GeminiReader(request, signatures),
  },
  embeddings: { passing: EMBEDDINGS_AS_CONTENTS, build: buildBatchEmbed, read: readBatchEmbed },
  probe: () => ({ method: 'GET', path: '/models?pageSize=1', expects: 'json' }),
  usageIn: (json) => geminiUsage(fieldsOf(json).usageMetadata),
  classify: classifyGeminiError,
  errorMessage: geminiErrorMessage,
}
