import { useEffect, useState } from 'react'

/** A code that is being waited for. */
export type Pending = {
  identifier: string
  /** How it is shown: the API's masked form, or what the person typed. */
  shown: string
  channel: 'email' | 'phone' | 'totp'
  purpose: 'verify_email' | 'verify_phone' | 'login_mfa' | 'reset_password'
  challenge_id?: string
  /** When another may be asked for. */
  resendAt: number
  expiresAt: number
}

const NAME = 'mlango_pending'

/** Survives a reload: cheap phones drop the page while the person reads the message. */
export function usePending(
  purposes: readonly Pending['purpose'][],
): [Pending | undefined, (pending: Pending | undefined) => void] {
  const [pending, setPending] = useState<Pending>()
  // Only now: the HTML that was sent knows nothing of it.
  useEffect(() => setPending(kept(purposes)), [])
  return [
    pending,
    (next) => {
      if (next === undefined) sessionStorage.removeItem(NAME)
      else sessionStorage.setItem(NAME, JSON.stringify(next))
      setPending(next)
    },
  ]
}

function kept(purposes: readonly Pending['purpose'][]): Pending | undefined {
  const text = sessionStorage.getItem(NAME)
  if (text === null) return undefined
  const pending = JSON.parse(text) as Pending
  return purposes.includes(pending.purpose) && pending.expiresAt > Date.now() ? pending : undefined
}

export const inSeconds = (seconds: number) => Date.now() + seconds * 1000
