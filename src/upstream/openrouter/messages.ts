import type { ChatRequest, ModelTarget, NativeRequest, Provider } from '../contract/contract.ts'
import { buildNative, readNative } from '../anthropic/native.ts'
import { NativeReader } from '../anthropic/native-stream.ts'
import { buildChat, readChat } from '../openai/chat.ts'
import { isSteering } from '../openai/fields.ts'
import { OpenAiReader } from '../openai/stream.ts'

/** Chats, and Messages as they were written for the models whose provider speaks that dialect. */
export const chatOrMessages: NonNullable<Provider['chat']> = {
  build(request, target) {
    const native = nativeFor(request, target)
    return native === undefined ? buildChat(request, target) : buildNative(native, request, target)
  },
  read(answer, request, target) {
    const native = nativeFor(request, target)
    return native === undefined ? readChat(answer, request) : readNative(native, answer, request)
  },
  reader(request, target) {
    const native = nativeFor(request, target)
    return native === undefined ? new OpenAiReader(request) : new NativeReader(native)
  },
}

export function speaksMessages({ model }: ModelTarget): boolean {
  return model.startsWith('anthropic/')
}

function nativeFor({ native }: ChatRequest, target: ModelTarget): NativeRequest | undefined {
  if (native?.dialect !== 'messages' || !speaksMessages(target)) return undefined
  // Here a request could also choose providers, plugins and other models.
  const body = Object.fromEntries(Object.entries(native.body).filter(([name]) => !isSteering(name)))
  return { ...native, body }
}
