import type { CatalogModel, Offer, CatalogIndex } from '../../catalog/catalog-index.ts'
import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import { answerId } from '../../lib/ids.ts'
import { fieldsOf } from '../../lib/json.ts'
import type { Upstreams } from '../../upstream/work.ts'
import { inCallersFields } from '../chat/dialects.ts'
import { completeChat, orderChat, sessionIn } from '../chat/chat.ts'
import { choiceInMessages } from '../chat/choice.ts'
import { firstToAnswer } from '../chat/first-to-answer.ts'
import type { ChatOrder } from '../chat/form.ts'
import { streamChat } from '../chat/stream.ts'
import type { ChatParts, GatewayCall, SentHeaders } from '../gateway.ts'
import type { AnswerNames } from './answer.ts'
import type { MessagesBody, ReadingModel } from './body.ts'
import { messageStreamForm, messageWhole } from './form.ts'
import { nativeRequest } from './native.ts'
import { readRequest, unreadInMessages } from './request.ts'
import { notFound, type Catalog } from '../../catalog/catalog.ts'

type OrderParts = Omit<ChatParts, 'allowance' | 'callLimits'>
type MessagesCall = GatewayCall & { headers: SentHeaders }
type MessagesOrder = { order: ChatOrder; names: AnswerNames; native: readonly Offer[] }

export async function messages(
  gateway: ChatParts,
  call: MessagesCall,
  body: MessagesBody,
): Promise<Answer & { stored?: true }> {
  return firstToAnswer(gateway, call, choiceInMessages(body), {
    order: (one) => orderMessages(gateway, call, one),
    answer: async ({ order, names }) =>
      body.stream === true
        ? streamChat(gateway, call, order, messageStreamForm(names, order.promptTokens()))
        : completeChat(gateway, call, order, messageWhole(names)),
  })
}

/** The token count of a request, free: asked of an upstream that counts, else estimated. */
export async function countTokens(
  gateway: OrderParts,
  call: MessagesCall,
  body: Omit<MessagesBody, 'max_tokens'>,
): Promise<{ input_tokens: number }> {
  const asked = { ...body, max_tokens: 1, stream: false }
  const { order, native } = await orderMessages(gateway, call, asked)
  try {
    if (gateway.upstreams.can(native, 'count')) {
      const { request } = order
      const { tokens } = await gateway.upstreams.call(native, 'count', request, {
        signal: call.signal,
      })
      return { input_tokens: tokens }
    }
  } catch (error) {
    // The upstreams' log has the error; an estimate is better than none.
    if (!(error instanceof Failure) || call.signal.aborted) throw error
  }
  return { input_tokens: order.promptTokens() }
}

async function orderMessages(
  gateway: OrderParts,
  call: MessagesCall,
  body: MessagesBody,
): Promise<MessagesOrder> {
  const model = findModel(gateway.catalog, body.model)
  const native = model.offers.filter((offer) => gateway.upstreams.speaks(offer, 'messages'))
  const reader = readingModel(gateway.upstreams, model, native.length > 0)
  const read = readRequest(body, reader)
  const { chat, names: tools, messages, tools: kept, places } = read
  const omitsThinking = fieldsOf(body.thinking).display === 'omitted'
  const names = {
    id: answerId('msg_', call.requestId),
    model: body.model,
    catalogId: model.id,
    tools,
    omitsThinking,
  }
  const sent = { headers: call.headers, tools: kept, model, ours: oursOf(names) }
  const limited = { ...body, messages, max_tokens: chat.max_tokens ?? chat.max_completion_tokens! }
  const asIs = native.length > 0 ? nativeRequest(limited, sent) : undefined
  try {
    const order = await orderChat(gateway, call, chat, {
      native: asIs,
      session: sessionIn(body, call.headers),
      unread: unreadInMessages(body, reader),
    })
    const targets = asIs?.only ? native : order.targets
    return { order: { ...order, targets }, names, native }
  } catch (error) {
    throw inCallersFields(error, places, 'messages')
  }
}

function oursOf({ id, model }: AnswerNames): { id: string; model: string } {
  return { id, model }
}

function readingModel(upstreams: Upstreams, model: CatalogModel, native: boolean): ReadingModel {
  const types = new Map(upstreams.list.map(({ name, type }) => [name, type]))
  const caches = ({ upstream }: Offer) => {
    const type = types.get(upstream)
    return type === 'anthropic' || (type === 'openrouter' && KNOWS_MARKS.test(model.id))
  }
  const signs = native || model.id.startsWith('anthropic/')
  return { ...model, caches: model.offers.every(caches), signs, native }
}

/** Other models refuse cache marks, or cache by themselves. */
const KNOWS_MARKS = /^(anthropic|google)\//

/**
 * Many clients have model names built in: without the maker, with a date, with dashes for dots, or
 * with a wanted context length.
 */
export function findModel(catalog: Catalog, asked: string): CatalogModel {
  const name = asked.replace(WANTED_CONTEXT, '')
  const model = catalog.find(name) ?? plainNames(catalog.index()).get(plainName(name))
  if (model === undefined || model === SEVERAL) throw notFound(asked)
  return model
}

const WANTED_CONTEXT = /\[1m\]$/i
const SEVERAL = 'several'

/** `anthropic/claude-sonnet-4.5` and `claude-sonnet-4-5-20250929` give the same plain name. */
function plainName(id: string): string {
  return id
    .replace(/^anthropic\//, '')
    .replace(/-latest$/, '')
    .replace(/-\d{8}$/, '')
    .replaceAll('.', '-')
}

type PlainNames = ReadonlyMap<string, CatalogModel | typeof SEVERAL>

const known = new WeakMap<CatalogIndex, PlainNames>()

/** Built once for each state of the catalog. */
function plainNames(index: CatalogIndex): PlainNames {
  const made = known.get(index)
  if (made !== undefined) return made
  const names = new Map<string, CatalogModel | typeof SEVERAL>()
  for (const model of index.models) {
    const name = plainName(model.id)
    names.set(name, names.has(name) ? SEVERAL : model)
  }
  known.set(index, names)
  return names
}
