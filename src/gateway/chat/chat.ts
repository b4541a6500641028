import type { PricedModel } from '../../catalog/catalog.ts'
import type { Answer } from '../../lib/answer.ts'
import { invalidField } from '../../lib/failure.ts'
import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { answerId } from '../../lib/ids.ts'
import type { ChatRequest, ChatResult, NativeRequest } from '../../upstream/contract/contract.ts'
import { ABSENT, countedUsage, usageFields } from '../../upstream/contract/usage.ts'
import type { ChatStream } from '../../upstream/work.ts'
import { stageOf } from '../bill/rows.ts'
import { costField, jsonAnswer, runBilledCall } from '../billed-call.ts'
import type { ChatParts, Gateway, GatewayCall, PaidParts, SentHeaders } from '../gateway.ts'
import { measureFiles } from '../media-parts.ts'
import { callCharge } from '../price/call-charge.ts'
import { callHold, DEFAULT_ANSWER_TOKENS, type AnswerWish } from '../price/call-hold.ts'
import { measureJson, promptSize } from '../price/prompt-size.ts'
import { mostJsonTokens } from '../price/token-bound.ts'
import { choiceOf } from './choice.ts'
import { CustomChunks, withCustomCalls } from './tools/custom-calls.ts'
import { withFunctions, type CustomNames } from './tools/custom-tools.ts'
import { firstToAnswer } from './first-to-answer.ts'
import {
  chatStreamForm,
  type ChatOrder,
  type UsageFields,
  type UsageWish,
  type WholeForm,
} from './form.ts'
import type { Gathered } from './gather.ts'
import { refuseHalfCalls } from './half-calls.ts'
import { readMessages, type InputModality } from './messages.ts'
import { sessionOfUser } from './session.ts'
import { streamChat } from './stream.ts'
import { withKnownChoice } from './tools/tool-choice.ts'
import { answerWithin } from './within-limit.ts'

/** The fields of a chat body that the gateway reads. */
export type ChatBody = UsageFields & {
  model: string
  messages: unknown[]
  stream?: boolean | null | undefined
  max_tokens?: number | null | undefined
  max_completion_tokens?: number | null | undefined
  n?: number | null | undefined
  tools?: unknown[] | null | undefined
  tool_choice?: unknown
  modalities?: string[] | null | undefined
  reasoning?: unknown
  prediction?: unknown
  models?: string[] | null | undefined
  provider?: unknown
  require_parameters?: boolean | null | undefined
}

export async function chat(
  gateway: ChatParts,
  call: GatewayCall,
  body: ChatBody,
): Promise<Answer & { stored?: true }> {
  const { body: read, custom } = saysOfTools(body)
    ? withFunctions(withKnownChoice(body))
    : { body, custom: NO_NAMES }
  const session = sessionIn(body, call.headers)
  const wish = usageWish(body)
  const orderOf = (one: ChatBody) => orderChat(gateway, call, one, { session })
  const answer = async (order: ChatOrder) => {
    if (body.stream !== true) return completeChat(gateway, call, order, chatWhole(custom), wish)
    const shown = custom.size === 0 ? undefined : new CustomChunks(custom)
    return streamChat(gateway, call, order, chatStreamForm(order.request.ours, wish, shown))
  }
  if (!CHOOSING.some((name) => read[name])) return answer(await orderOf(read))
  return firstToAnswer(gateway, call, choiceOf(read), {
    order: async (one) => ({ order: await orderOf(one) }),
    answer: ({ order }) => answer(order),
  })
}

/** Whoever names none of these is answered by the one model or not at all. */
const CHOOSING = ['models', 'provider', 'require_parameters'] as const

const NO_NAMES: CustomNames = new Set()

function saysOfTools({ tools, tool_choice: choice, messages }: ChatBody): boolean {
  return Boolean(tools ?? choice) || messages.some((one) => isFields(one) && one.tool_calls)
}

export function usageWish({ stream_options: options, usage }: UsageFields): UsageWish {
  const cost = usage?.include === true
  return { included: cost || options?.include_usage === true, cost }
}

/**
 * What the caller calls the conversation that a request is part of, in whatever dialect: a field or
 * a header for it, Codex's headers, or what Claude Code writes. Names of the user (`user`,
 * `safety_identifier`) are none: one user has many conversations.
 */
export function sessionIn(body: Fields, headers: SentHeaders = {}): string | undefined {
  const names = [
    body.session_id,
    headers['x-session-id'],
    body.prompt_cache_key,
    headers.session_id,
    headers['session-id'],
    headers.conversation_id,
  ]
  const named = names.find((name) => typeof name === 'string' && name !== '')
  return named === undefined && body.metadata ? sessionOfUser(body.metadata) : textOf(named)
}

/** What a dialect adds to its request read as a chat. */
type OfDialect = {
  /** The request in its own dialect. Where present, this is what is sent and paid for. */
  native?: NativeRequest | undefined
  /** Its fields that have no place in a chat. */
  unread?: ChatRequest['unread']
  wholeOutput?: ChatRequest['wholeOutput']
  /** What the caller calls the conversation. */
  session?: string | undefined
  writes?: ChatOrder['writes']
}

export async function orderChat(
  gateway: Pick<Gateway, 'billing' | 'catalog' | 'nameForUpstream' | 'rules'>,
  call: GatewayCall,
  body: ChatBody,
  { native: asWritten, unread, wholeOutput, session, writes }: OfDialect = {},
): Promise<ChatOrder> {
  const { billing, rules } = gateway
  const reading = readMessages(body.messages)
  checkTools(body.tools)
  const model = requireChatModel(gateway, body, reading.modalities)
  if (reading.files !== undefined) await measureFiles(reading)
  const at = billing.clock.now()
  const own = ownNames(gateway, call)
  const native = asWritten && { ...asWritten, body: own(asWritten.body) }
  const sent = native?.body ?? own(body)
  const prompt = promptSize(sent, reading)
  // Beside media the text is short, and its bytes are exact enough.
  const mostText = Math.min(prompt.textBytes, model.contextLength || Infinity)
  const boundText = reading.mediaBytes > 0 ? undefined : () => mostJsonTokens(sent, mostText)
  const hold = callHold({ model, prompt, at, boundText, rules })
  const answer = answerWish(body, model)
  const usage = callCharge({ model, prompt, at, log: billing.log })
  return {
    stage: stageOf('chat', model),
    estimate: hold.estimate(answer),
    targets: model.targets,
    request: {
      ...chatRequest(gateway, call, body, { model: model.id, at, session }),
      body: own(body),
      native,
      unread,
      wholeOutput,
    },
    answer,
    usage,
    refused: refusedBy(usage),
    affordable: (limitMicro, bounds) => hold.affordable(limitMicro, bounds, answer),
    promptTokens: () => usage(ABSENT, { outputBytes: 0 }).promptTokens ?? 0,
    boundPrompt: hold.boundPrompt,
    writes,
  }
}

/** Made here: beside the prompt it would keep that in memory for as long as a stream is open. */
function refusedBy(usage: ChatOrder['usage']): ChatOrder['refused'] {
  return (reading) => usage(reading, { outputBytes: 0 })
}

function chatWhole(custom: CustomNames): WholeForm {
  return ({ body }, usage) => {
    if (listOf(body.choices).some(calls)) refuseHalfCalls(body)
    const said = custom.size === 0 ? body : withCustomCalls(body, custom)
    return { ...said, usage: usageFields(usage) }
  }
}

function calls(choice: unknown): boolean {
  return Boolean(fieldsOf(fieldsOf(choice).message).tool_calls)
}

/** A whole answer with what it cost in its usage. */
function withCost(answer: unknown, chargedMicro: bigint): unknown {
  const body = fieldsOf(answer)
  return { ...body, usage: { ...fieldsOf(body.usage), ...costField(chargedMicro) } }
}

/** `form` writes the answer in another dialect. */
export function completeChat(
  gateway: PaidParts & Pick<Gateway, 'rules' | 'upstreams'>,
  call: GatewayCall,
  order: ChatOrder,
  form: WholeForm,
  wish?: UsageWish,
) {
  const { stage, estimate, held, targets, request } = order
  const { requestId } = call
  let gathered: ChatStream | undefined
  let body: unknown
  return runBilledCall<ChatResult | Gathered>(gateway, call, {
    stage,
    estimate,
    held,
    work: async (asking, bill) => {
      const { callLimit } = bill
      if (callLimit === undefined) return gateway.upstreams.call(targets, 'chat', request, asking)
      return answerWithin(gateway, { order, bill, callLimit, asking }, (stream) => {
        gathered = stream
      })
    },
    usage: (result) => order.usage(result.usage, result),
    accept: (result, charged) => {
      body = form(result, countedUsage(result.usage, charged))
    },
    refused: order.refused,
    writes: order.writes,
    outputMicro: () => (gathered === undefined ? 0n : order.usage(ABSENT, gathered).costMicro),
    answer({ generationId }, _charged, receipt) {
      const told = wish?.cost === true ? withCost(body, receipt.chargedMicro) : body
      return jsonAnswer(told, { requestId, receipt, generationId })
    },
  })
}

function chatRequest(
  gateway: Pick<Gateway, 'nameForUpstream'>,
  call: GatewayCall,
  body: ChatBody,
  { model, at, session }: { model: string; at: Date; session: string | undefined },
): ChatRequest {
  const { accountId } = call.principal
  return {
    body,
    stream: body.stream === true,
    user: gateway.nameForUpstream(accountId),
    session: session && gateway.nameForUpstream(accountId, session),
    ours: {
      id: answerId('chatcmpl-', call.requestId),
      model,
      created: Math.floor(at.getTime() / 1_000),
    },
  }
}

const OWN_NAMES = ['prompt_cache_key', 'session_id']

/**
 * Names that callers make up, by which an upstream finds what it keeps of a conversation: hashed
 * with the account, so that none finds another's.
 */
function ownNames({ nameForUpstream }: Pick<Gateway, 'nameForUpstream'>, call: GatewayCall) {
  return (fields: Fields): Fields => {
    const given = OWN_NAMES.filter((name) => fields[name] !== undefined && fields[name] !== null)
    if (given.length === 0) return fields
    const { accountId } = call.principal
    const hashed = given.map((name) => [name, nameForUpstream(accountId, String(fields[name]))])
    return { ...fields, ...Object.fromEntries(hashed) }
  }
}

/** The model must accept what is sent and produce what is asked for. */
function requireChatModel(
  { catalog }: Pick<Gateway, 'catalog'>,
  body: ChatBody,
  inputs: Set<InputModality>,
): PricedModel {
  const wanted = (body.modalities ?? []).filter((one) => one !== 'text')
  return catalog.requireModel(body.model, { outputs: ['text', ...wanted], inputs: [...inputs] })
}

/** Tools that an upstream runs have prices per use that are not in the catalog. */
function checkTools(tools: unknown[] | null | undefined): void {
  tools?.forEach((tool, i) => {
    if ((tool as { type?: unknown } | null)?.type === 'function') return
    throw invalidField(`tools[${i}].type`, 'must be "function" or "custom"')
  })
}

/** The longest and most expensive answer that these fields allow. */
function answerWish(body: ChatBody, model: PricedModel): AnswerWish {
  const { modalities, prediction } = body
  const predictedBytes = prediction ? measureJson(prediction).bytes : 0
  // A model that can draw does so unless told not to.
  const pictures = (modalities ?? model.outputModalities).includes('image')
  const audio = (modalities ?? model.outputModalities).includes('audio')
  return {
    ...lengthsOf(body),
    choices: body.n ?? 1,
    growing: !pictures && !audio && !model.thinks,
    predictedBytes,
    boundPredicted: prediction ? () => mostJsonTokens(prediction, predictedBytes) : undefined,
    pictures,
    audio,
  }
}

/**
 * Upstreams differ in which of the two limits they follow, and may add reasoning tokens to either.
 * `maxTokens` is expected; `hardLimit` is what the upstream is told, if anything.
 */
function lengthsOf(body: ChatBody): Pick<AnswerWish, 'maxTokens' | 'hardLimit'> {
  const limits = [body.max_tokens, body.max_completion_tokens].filter(isCount)
  const asked = fieldsOf(body.reasoning).max_tokens
  const thoughts = isCount(asked) ? asked : 0
  const hardLimit = limits.length === 0 ? undefined : Math.max(...limits) + thoughts
  if (thoughts === 0) return { maxTokens: hardLimit, hardLimit }
  return { maxTokens: Math.max(DEFAULT_ANSWER_TOKENS, ...limits) + thoughts, hardLimit }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}
