import { useLocation } from 'wouter'
import type { Answer } from '../../client/ask.ts'
import { openSession } from '../../client/session.ts'
import { inSeconds, type Pending } from './pending.ts'

type Entered = Answer<'POST /v1/auth/login'>['data']

/** After a correct password or code: opens the account, or asks for the second factor. */
export function useEntering(setPending: (pending: Pending | undefined) => void) {
  const [, go] = useLocation()
  return (entered: Entered, identifier: string) => {
    if ('mfa_required' in entered) {
      setPending({
        identifier,
        shown: entered.masked,
        channel: entered.channel,
        purpose: 'login_mfa',
        challenge_id: entered.challenge_id,
        asks: entered.mfa_method,
        others: entered.other_methods,
        hasPasskey: entered.mfa_method === 'passkey',
        resendAt: inSeconds(60),
        expiresAt: inSeconds(entered.expires_in),
      })
      return
    }
    setPending(undefined)
    openSession(entered)
    go(nextPage(), { replace: true })
  }
}

/** The page the visitor came from, if it is one of the account's pages. */
function nextPage(): string {
  const next = new URLSearchParams(location.search).get('next') ?? ''
  return /^\/(?:app|operator)(?:[/?]|$)/.test(next) ? next : '/app'
}
