import type { Fields } from '../../lib/fields.ts'
import { nativeMessages } from '../anthropic/native-messages.ts'
import type { ChatCapability, ChatRequest, ModelTarget } from '../contract/contract.ts'
import { isSteering } from '../openai/fields.ts'

/** Messages as they were written, for the models whose provider speaks that dialect. */
export const messagesThere: ChatCapability = {
  ...nativeMessages,
  build: (request, target) => nativeMessages.build(withoutSteering(request), target),
}

export function speaksMessages({ model }: ModelTarget): boolean {
  return model.startsWith('anthropic/')
}

/** Here a request could also choose providers, plugins and other models. */
function withoutSteering(request: ChatRequest): ChatRequest {
  const native = request.native!
  const body: Fields = {}
  for (const name in native.body) if (!isSteering(name)) body[name] = native.body[name]
  return { ...request, native: { ...native, body } }
}
