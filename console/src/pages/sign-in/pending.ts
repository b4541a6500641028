import { useEffect, useState } from 'react'

/** A code that was sent and has not been entered yet. */
export type Pending = {
  identifier: string
  /** As shown: masked by the API, or as it was typed. */
  shown: string
  channel: 'email' | 'phone' | 'totp'
  purpose: 'verify_email' | 'verify_phone' | 'login_mfa' | 'reset_password'
  challenge_id?: string
  /** Of a login: what is asked for now, and what else may be given. */
  asks?: Factor
  others?: Factor[]
  hasPasskey?: boolean
  /** When another may be asked for. */
  resendAt: number
  expiresAt: number
}

export type Factor = 'passkey' | 'totp' | 'email' | 'phone' | 'recovery'

const NAME = 'mlango_pending'

/** Survives a reload: phones with little memory drop the page while the message is read. */
export function usePending(
  purposes: readonly Pending['purpose'][],
): [Pending | undefined, (pending: Pending | undefined) => void] {
  const [pending, setPending] = useState<Pending>()
  // In an effect, because the prerendered HTML does not have it.
  useEffect(() => setPending(stored(purposes)), [])
  return [
    pending,
    (next) => {
      if (next === undefined) sessionStorage.removeItem(NAME)
      else sessionStorage.setItem(NAME, JSON.stringify(next))
      setPending(next)
    },
  ]
}

function stored(purposes: readonly Pending['purpose'][]): Pending | undefined {
  const text = sessionStorage.getItem(NAME)
  if (text === null) return undefined
  const pending = JSON.parse(text) as Pending
  return purposes.includes(pending.purpose) && pending.expiresAt > Date.now() ? pending : undefined
}

export const inSeconds = (seconds: number) => Date.now() + seconds * 1000
