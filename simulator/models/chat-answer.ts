import type { Json } from './exchange.ts'

/** What the model answers, before it is sent whole or as a stream. */
export type ChatAnswer = {
  id: string
  created: number
  model: string
  text: string
  reasoning: string | undefined
  toolCalls: ToolCall[]
  images: string[]
  finish: 'stop' | 'length' | 'tool_calls'
  usage: Json | undefined
}

export type ToolCall = { id: string; name: string; arguments: string }

export const toolCallPart = (call: ToolCall, index: number): Json => ({
  index,
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
})

export const imagePart = (base64: string): Json => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${base64}` },
})

/** As a model signs what it thought. */
export const reasoningPart = (text: string): Json => ({
  type: 'reasoning.text',
  text,
  signature: 'signed by the simulator',
  format: 'anthropic-claude-v1',
  index: 0,
})
