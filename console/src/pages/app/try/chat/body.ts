import type { Model } from '../../../../catalog/models.ts'
import type { Charge } from '../charge-line.tsx'

export type Message = {
  role: 'user' | 'assistant'
  content: string
  /** Who answered. */
  model?: string
  requestId?: string
  charge?: Charge
  /** It was stopped by the user, or broke off. */
  end?: 'stopped' | 'broken'
}

export type ChatSettings = { system: string; temperature: string; maxTokens: string }

export type ChatBody = {
  model: string
  messages: { role: string; content: string }[]
  stream: true
  temperature?: number
  max_tokens?: number
}

/** The body that is sent, and shown in the code sample. */
export function chatBody(
  model: Model | undefined,
  settings: ChatSettings,
  talk: readonly Message[],
): ChatBody {
  const said = talk
    .filter(({ content, end }) => content !== '' && end === undefined)
    .map(({ role, content }) => ({ role: role as string, content }))
  const takes = (name: string) => model?.supported_parameters.includes(name) === true
  const system = settings.system.trim()
  return {
    model: model?.id ?? '',
    messages: system === '' ? said : [{ role: 'system', content: system }, ...said],
    stream: true,
    ...(settings.temperature !== '' && takes('temperature')
      ? { temperature: Number(settings.temperature) }
      : {}),
    ...(settings.maxTokens !== '' ? { max_tokens: Number(settings.maxTokens) } : {}),
  }
}

/** As much as a phone can store: the newest part of a long conversation. */
export function storable(talk: readonly Message[]): Message[] {
  const newest: Message[] = []
  let letters = 0
  for (const message of talk.toReversed()) {
    letters += message.content.length
    if (letters > 200_000) break
    newest.unshift(message)
  }
  return newest
}

/** The conversation up to the last question. */
export function lastAsked(talk: readonly Message[]): Message[] {
  const at = talk.findLastIndex(({ role }) => role === 'user')
  return talk.slice(0, at + 1)
}
