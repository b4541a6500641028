import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { prefixedId } from '../../lib/ids.ts'
import { completion, type ChatChoice } from '../contract/chunks.ts'
import type { ChatRequest, ChatResult, JsonAnswer } from '../contract/contract.ts'
import { UpstreamError, StatusError } from '../contract/upstream-error.ts'
import { signatureFields, type Signatures } from './signatures.ts'
import { geminiUsage } from './usage.ts'

export function readGenerated(
  answer: JsonAnswer,
  request: ChatRequest,
  signatures: Signatures,
): ChatResult {
  const json = fieldsOf(answer.json)
  refuseErrors(json)
  const candidates = listOf(json.candidates).filter(isFields)
  if (candidates.length === 0) throw new UpstreamError('garbage', 'candidates')
  const choices = candidates.map((candidate, index) => choiceOf(candidate, index, signatures))
  const usage = geminiUsage(json.usageMetadata)
  return completion(request.ours, choices, usage, textOf(json.responseId))
}

/** An error object, or a prompt that was blocked. */
export function refuseErrors(json: Fields): void {
  const error = fieldsOf(json.error)
  if (json.error) throw new StatusError(typeof error.code === 'number' ? error.code : 500, json)
  const blocked = textOf(fieldsOf(json.promptFeedback).blockReason)
  if (blocked === undefined || listOf(json.candidates).length > 0) return
  throw new StatusError(400, { error: { status: 'BLOCKED' } })
}

export type CandidateParts = { text: string; reasoning: string; calls: Fields[]; images: Fields[] }

export function readParts(candidate: Fields, signatures: Signatures): CandidateParts {
  const read: CandidateParts = { text: '', reasoning: '', calls: [], images: [] }
  for (const part of listOf(fieldsOf(candidate.content).parts).filter(isFields)) {
    const text = textOf(part.text) ?? ''
    if (part.thought === true) read.reasoning += text
    else read.text += text
    if (isFields(part.functionCall)) read.calls.push(callOf(part, part.functionCall, signatures))
    if (isFields(part.inlineData)) read.images.push(imageOf(part.inlineData))
  }
  return read
}

function callOf(part: Fields, made: Fields, signatures: Signatures): Fields {
  const id = textOf(made.id) ?? prefixedId('call_')
  const signature = textOf(part.thoughtSignature)
  if (signature !== undefined) signatures.remember(id, signature)
  return {
    id,
    type: 'function',
    function: { name: made.name, arguments: JSON.stringify(made.args ?? {}) },
    ...(signature === undefined ? {} : signatureFields(signature)),
  }
}

function imageOf({ mimeType, data }: Fields): Fields {
  const url = `data:${textOf(mimeType) ?? 'image/png'};base64,${textOf(data) ?? ''}`
  return { type: 'image_url', image_url: { url } }
}

function choiceOf(candidate: Fields, position: number, signatures: Signatures): ChatChoice {
  const { text, reasoning, calls, images } = readParts(candidate, signatures)
  const empty = text === '' && calls.length === 0 && images.length === 0
  return {
    index: typeof candidate.index === 'number' ? candidate.index : position,
    message: {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      refusal: null,
      ...(reasoning === '' ? {} : { reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...(images.length > 0 ? { images } : {}),
    },
    finish_reason: geminiFinish(candidate.finishReason, calls.length > 0, empty),
  }
}

const FILTERED = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
])
const BROKEN = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'NO_IMAGE',
  'IMAGE_OTHER',
  'OTHER',
  'FINISH_REASON_UNSPECIFIED',
])

export function geminiFinish(reason: unknown, hasCalls: boolean, empty: boolean): string {
  const word = textOf(reason) ?? ''
  if (word === 'MAX_TOKENS') return 'length'
  if (FILTERED.has(word)) return 'content_filter'
  if (BROKEN.has(word) && empty) throw new UpstreamError('garbage', 'finish_reason')
  return hasCalls ? 'tool_calls' : 'stop'
}
