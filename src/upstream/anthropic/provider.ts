import type { Provider } from '../contract/contract.ts'
import { readMessage } from './answer.ts'
import { anthropicFailure } from './failure.ts'
import { buildMessages } from './request.ts'
import { AnthropicReader } from './stream.ts'

/** The Messages API, translated to and from the chat format. */
export const anthropic: Provider = {
  credential: (key) => ({ 'x-api-key': key }),
  chat: {
    build: buildMessages,
    read: readMessage,
    reader: (request) => new AnthropicReader(request),
  },
  probe: () => ({
    method: 'GET',
    path: '/models',
    headers: { 'anthropic-version': '2023-06-01' },
    expects: 'json',
  }),
  failure: anthropicFailure,
}
