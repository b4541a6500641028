import { fieldsOf } from '../../lib/json.ts'
import type { Provider } from '../contract/contract.ts'
import { readMessage } from './answer.ts'
import { classifyAnthropicError } from './errors.ts'
import { anthropicErrorMessage, buildCount, readCount } from './native.ts'
import { nativeMessages } from './native-stream.ts'
import { CHAT_AS_MESSAGES, MESSAGES } from './passing.ts'
import { buildMessages } from './request.ts'
import { AnthropicReader } from './stream.ts'
import { anthropicUsage } from './usage.ts'

/** The Messages API, from and to the chat format, or unchanged. */
export const anthropic: Provider = {
  credential: (key) => ({ 'x-api-key': key }),
  chat: {
    passing: CHAT_AS_MESSAGES,
    build: buildMessages,
    read: readMessage,
    reader: (request) => new AnthropicReader(request),
  },
  natively: (dialect) => (dialect === 'messages' ? nativeMessages : undefined),
  count: { passing: MESSAGES, build: buildCount, read: readCount },
  probe: () => ({
    method: 'GET',
    path: '/models',
    headers: { 'anthropic-version': '2023-06-01' },
    expects: 'json',
  }),
  usageIn: (json) => anthropicUsage(fieldsOf(json).usage),
  classify: classifyAnthropicError,
  errorMessage: ({ body }) => anthropicErrorMessage(body),
}
