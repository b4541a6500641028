export type Channel = 'email' | 'sms'

/** `id` never changes between tries, so that the receiving server can drop a repetition. */
export type Message = {
  id: string
  channel: Channel
  to: string
  subject: string
  text: string
  html?: string | undefined
  createdAt: Date
}

/** `permanent` means that this message can never arrive there; anything else is tried again. */
export type Delivery = { ok: true } | { ok: false; permanent: boolean; reason: string }

/** Never throws: a failed delivery is an ordinary result. A reason is a short code, no address. */
export type MessageSender = {
  send(message: Message): Promise<Delivery>
  /** Whether our login is accepted. Sends nothing and costs nothing. */
  check(): Promise<Delivery>
  close(): Promise<void>
}

export const delivered: Delivery = { ok: true }

export function tryLater(reason: string): Delivery {
  return { ok: false, permanent: false, reason }
}

export function giveUp(reason: string): Delivery {
  return { ok: false, permanent: true, reason }
}

/** The code of a network error, without its message, which may quote hosts and addresses. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : 'unknown_error'
}
