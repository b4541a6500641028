import { useState } from 'react'

/**
 * One wish to pay. Its key is made with the form and kept across reloads, so that whatever is
 * sent again is the same request, and makes one payment.
 */
export type Wish = { key: string; account: string; amount: string; sentAt?: number }

const NAME = 'mlango_topup'
const RESUMED_FOR_MS = 10 * 60_000

export function useWish(account: string, amount: string): [Wish, (wish: Wish) => void] {
  const [wish, setWish] = useState<Wish>(() => kept(account) ?? newWish(account, amount))
  const keep = (next: Wish) => {
    sessionStorage.setItem(NAME, JSON.stringify(next))
    setWish(next)
  }
  return [wish, keep]
}

export function newWish(account: string, amount: string): Wish {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { key: `topup-${key}`, account, amount }
}

export const forgetWish = () => sessionStorage.removeItem(NAME)

/** Sent a while ago, and the page was reloaded before an answer came. */
export const isInterrupted = ({ sentAt }: Wish) =>
  sentAt !== undefined && sentAt < performance.timeOrigin && Date.now() - sentAt < RESUMED_FOR_MS

/** Somebody else may have signed in since. */
function kept(account: string): Wish | undefined {
  const text = sessionStorage.getItem(NAME)
  const wish = text === null ? undefined : (JSON.parse(text) as Wish)
  return wish?.account === account ? wish : undefined
}
