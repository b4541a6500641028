import type { ChatRequest, NativeRequest, Provider } from '../contract/contract.ts'
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
    build: (request, target) => {
      const native = nativeOf(request)
      return native ? buildNative(native, request, target) : buildMessages(request, target)
    },
    read: (answer, request) => {
      const native = nativeOf(request)
      return native ? readNative(native, answer, request) : readMessage(answer, request)
    },
    reader: (request) => {
      const native = nativeOf(request)
      return native ? new NativeReader(native) : new AnthropicReader(request)
    },
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

function nativeOf({ native }: ChatRequest): NativeRequest | undefined {
  return native?.dialect === 'messages' ? native : undefined
}
