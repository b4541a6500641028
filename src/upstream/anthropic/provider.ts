import type { Provider } from '../contract/contract.ts'
import { readMessage } from './answer.ts'
import { anthropicFailure } from './failure.ts'
import { anthropicWords, buildCount, buildNative, readCount, readNative } from './native.ts'
import { NativeReader } from './native-stream.ts'
import { buildMessages } from './request.ts'
import { AnthropicReader } from './stream.ts'

/** The Messages API, translated to and from the chat format, or as it is. */
export const anthropic: Provider = {
  credential: (key) => ({ 'x-api-key': key }),
  chat: {
    build: (request, target) =>
      request.native === undefined
        ? buildMessages(request, target)
        : buildNative(request.native, request, target),
    read: (answer, request) =>
      request.native === undefined
        ? readMessage(answer, request)
        : readNative(request.native, answer, request),
    reader: (request) =>
      request.native === undefined
        ? new AnthropicReader(request)
        : new NativeReader(request.native),
  },
  speaks: (dialect) => dialect === 'messages',
  count: { build: buildCount, read: readCount },
  probe: () => ({
    method: 'GET',
    path: '/models',
    headers: { 'anthropic-version': '2023-06-01' },
    expects: 'json',
  }),
  failure: anthropicFailure,
  words: ({ body }) => anthropicWords(body),
}
