import type { Json } from './exchange.ts'

export type ToolCall = { id: string; name: string; arguments: string }

export const callOf = (call: ToolCall, index: number): Json => ({
  index,
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
})

export const imagePart = (base64: string): Json => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${base64}` },
})
