import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import {
  chatBody,
  effortOf,
  functionsOf,
  maxTokensOf,
  messagesOf,
  stopsOf,
} from '../contract/chat-parts.ts'
import type { ChatRequest, HttpCall, ModelTarget } from '../contract/contract.ts'
import { contentsOf, systemInstruction } from './contents.ts'
import type { Signatures } from './signatures.ts'

const PICTURE_EVENT_CAP = 32 * 1024 * 1024

export function buildGenerate(
  request: ChatRequest,
  target: ModelTarget,
  signatures: Signatures,
): HttpCall {
  const verb = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const path = `/models/${encodeURIComponent(target.model)}:${verb}`
  return {
    method: 'POST',
    path,
    json: generateBody(request, target, signatures),
    expects: request.stream ? 'sse' : 'json',
    maxEventBytes: PICTURE_EVENT_CAP,
  }
}

function generateBody(request: ChatRequest, target: ModelTarget, signatures: Signatures): Fields {
  const body = chatBody(request)
  const messages = messagesOf(body)
  const stops = stopsOf(body.stop)
  return {
    contents: contentsOf(messages, signatures),
    systemInstruction: systemInstruction(messages),
    ...tools(body),
    generationConfig: {
      ...numbers(body, request),
      stopSequences: stops.length > 0 ? stops : undefined,
      ...responseFormat(body),
      ...thinking(effortOf(body), target.model),
    },
  }
}

const NUMBERS: [string, string][] = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['seed', 'seed'],
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['n', 'candidateCount'],
]

function numbers(body: Fields, request: ChatRequest): Fields {
  const found: Fields = {}
  for (const [name, theirs] of NUMBERS) {
    if (typeof body[name] === 'number') found[theirs] = body[name]
  }
  const most = maxTokensOf(body, request)
  if (most !== undefined) found.maxOutputTokens = most
  return found
}

function responseFormat(body: Fields): Fields {
  const format = fieldsOf(body.response_format)
  const schema = fieldsOf(format.json_schema).schema
  const pictures = listOf(body.modalities).includes('image')
  const json = format.type === 'json_object' || format.type === 'json_schema'
  return {
    responseMimeType: json ? 'application/json' : undefined,
    responseJsonSchema: json && isFields(schema) ? schema : undefined,
    responseModalities: pictures ? ['TEXT', 'IMAGE'] : undefined,
  }
}

const LEVELS: Record<string, string> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}
const BUDGETS: Record<string, number> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
}

/** From the third generation on a level, before a token budget. */
function thinking(effort: string | undefined, model: string): Fields {
  if (effort === undefined || LEVELS[effort] === undefined) return {}
  return /gemini-([3-9]|\d\d)/.test(model)
    ? { thinkingConfig: { thinkingLevel: LEVELS[effort] } }
    : { thinkingConfig: { thinkingBudget: BUDGETS[effort] } }
}

function tools(body: Fields): Fields {
  const functions = functionsOf(body)
  if (functions.length === 0) return {}
  const config = callingConfig(body.tool_choice)
  return {
    tools: [{ functionDeclarations: functions.map(declaration) }],
    toolConfig: config && { functionCallingConfig: config },
  }
}

function declaration(made: Fields): Fields {
  return {
    name: made.name,
    description: textOf(made.description),
    parametersJsonSchema: isFields(made.parameters) ? made.parameters : undefined,
  }
}

function callingConfig(choice: unknown): Fields | undefined {
  if (choice === 'auto') return { mode: 'AUTO' }
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: 'ANY' }
  const name = textOf(fieldsOf(fieldsOf(choice).function).name)
  return name === undefined ? undefined : { mode: 'ANY', allowedFunctionNames: [name] }
}
