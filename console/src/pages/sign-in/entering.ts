import { useLocation } from 'wouter'
import type { Answer } from '../../client/ask.ts'
import { openSession } from '../../client/session.ts'
import { inSeconds, type Pending } from './pending.ts'

type Entered = Answer<'POST /v1/auth/login'>['data']

/** What a right password or code leads to: the account, or one more step. */
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

/** Back to where the person was, if that is a page for those who are signed in. */
function nextPage(): string {
  const next = new URLSearchParams(location.search).get('next') ?? ''
  return /^\/(?:app|operator)(?:[/?]|$)/.test(next) ? next : '/app'
}
