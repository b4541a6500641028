import { useState } from 'react'

/**
 * One request to pay. Its key is made with the form and survives reloads, so that whatever is
 * sent again is the same request, and makes one payment.
 */
export type TopUpRequest = { key: string; account: string; amount: string; sentAt?: number }

const NAME = 'mlango_topup'
const RESUMED_FOR_MS = 10 * 60_000

export function useTopUpRequest(
  account: string,
  amount: string,
): [TopUpRequest, (request: TopUpRequest) => void] {
  const [request, setRequest] = useState<TopUpRequest>(
    () => stored(account) ?? newTopUpRequest(account, amount),
  )
  const store = (next: TopUpRequest) => {
    sessionStorage.setItem(NAME, JSON.stringify(next))
    setRequest(next)
  }
  return [request, store]
}

export function newTopUpRequest(account: string, amount: string): TopUpRequest {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { key: `topup-${key}`, account, amount }
}

export const forgetTopUpRequest = () => sessionStorage.removeItem(NAME)

/** Sent a while ago, and the page was reloaded before an answer came. */
export const isInterrupted = ({ sentAt }: TopUpRequest) =>
  sentAt !== undefined && sentAt < performance.timeOrigin && Date.now() - sentAt < RESUMED_FOR_MS

/** Only of this account: somebody else may have signed in since. */
function stored(account: string): TopUpRequest | undefined {
  const text = sessionStorage.getItem(NAME)
  const request = text === null ? undefined : (JSON.parse(text) as TopUpRequest)
  return request?.account === account ? request : undefined
}
