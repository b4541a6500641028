import type { Exchange, Json } from './exchange.ts'
import { Refusal } from './faults/refusal.ts'
import { countTokens } from './usage.ts'

export type Prompt = {
  system: string
  /** The text of the last user message. */
  question: string
  /** The result of a tool, when that is the last message. */
  toolResult: string | undefined
  attachments: string[]
  tokens: number
  /** Those of them that are sound. */
  audioTokens: number
}

/** Reads a chat body as a model would, and refuses what the model cannot take in. */
export function readPrompt(exchange: Exchange): Prompt {
  const { messages } = exchange.body
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new Refusal(400, 'Input required: specify "messages"')
  }
  const prompt: Prompt = {
    system: '',
    question: '',
    toolResult: undefined,
    attachments: [],
    tokens: 0,
    audioTokens: 0,
  }
  for (const message of messages as Json[]) readMessage(exchange, prompt, message)
  const tools = exchange.body.tools
  if (tools !== undefined) prompt.tokens += countTokens(JSON.stringify(tools))
  const limit = exchange.model!.context
  if (limit > 0 && prompt.tokens > limit) {
    throw new Refusal(400, `This endpoint's maximum context length is ${limit} tokens.`, {
      metadata: { error_type: 'context_length_exceeded', provider_name: 'SimProvider' },
    })
  }
  return prompt
}

function readMessage(exchange: Exchange, prompt: Prompt, message: Json): void {
  const { role, content } = message
  const parts: Json[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Json[])
  const texts: string[] = []
  for (const part of parts) {
    if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text)
    else readAttachment(exchange, prompt, part)
  }
  const text = texts.join('\n')
  prompt.tokens += 4 + (text === '' ? 0 : countTokens(text))
  prompt.toolResult = role === 'tool' ? text : undefined
  if (role === 'system' || role === 'developer') prompt.system += `${text}\n`
  if (role === 'user') prompt.question = text
}

const PARTS: Record<string, { modality: string; name: string; tokens: number }> = {
  image_url: { modality: 'image', name: 'image', tokens: 258 },
  video_url: { modality: 'video', name: 'video', tokens: 1_290 },
  input_video: { modality: 'video', name: 'video', tokens: 1_290 },
  input_audio: { modality: 'audio', name: 'audio', tokens: 160 },
  file: { modality: 'file', name: 'document', tokens: 800 },
}

function readAttachment(exchange: Exchange, prompt: Prompt, part: Json): void {
  const known = PARTS[String(part.type)]
  if (known === undefined) throw new Refusal(400, `Unknown content part ${String(part.type)}`)
  // A PDF works on any model: the provider extracts its text first.
  if (known.modality !== 'file' && !exchange.model!.inputs.includes(known.modality)) {
    throw new Refusal(404, `No endpoints found that support ${known.modality} input`)
  }
  prompt.attachments.push(`1 ${known.name}`)
  prompt.tokens += known.tokens
  if (known.modality === 'audio') prompt.audioTokens += known.tokens
}
