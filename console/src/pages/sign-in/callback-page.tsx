import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { expectSession } from '../../client/session.ts'
import { AskFailure } from '../../client/failure.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useWords } from '../../words/language.tsx'
import { inSeconds, usePending, type Factor, type Pending } from './pending.ts'
import { SignInCard } from './sign-in-card.tsx'
import { signInWords } from './words.ts'

/**
 * Google and GitHub return here: with the cookie set, or in the fragment with the challenge of the
 * second factor or with the error.
 */
export default function Page() {
  const words = useWords(signInWords)
  const [, go] = useLocation()
  const [, setPending] = usePending(['login_mfa'])
  const [failure, setFailure] = useState<AskFailure>()
  useEffect(() => {
    const said = new URLSearchParams(location.hash.slice(1))
    history.replaceState(null, '', location.pathname)
    if (said.get('mfa_required') === 'true') {
      setPending(challengeIn(said))
      return go('/login', { replace: true })
    }
    const code = said.get('error')
    if (code !== null) {
      const message = said.get('error_description') ?? ''
      const requestId = said.get('request_id') ?? undefined
      setFailure(new AskFailure({ status: 400, kind: code, message, requestId }))
      return
    }
    const enter = async () => {
      if (await expectSession()) go('/app', { replace: true })
      else setFailure(new AskFailure({ status: 401, kind: 'unauthorized', message: '' }))
    }
    void enter()
  }, [])
  return (
    <SignInCard title={failure ? words.callbackFailed : words.callback}>
      {failure ? (
        <FailureNotice error={failure} kinds={{ forbidden: words.callbackForbidden }} />
      ) : (
        <Skeleton />
      )}
      {failure && <ButtonLink to="/login">{words.toLogin}</ButtonLink>}
    </SignInCard>
  )
}

function challengeIn(said: URLSearchParams): Pending {
  const read = (name: string) => said.get(name) ?? ''
  const asks = read('mfa_method') as Factor
  return {
    identifier: read('identifier'),
    shown: read('masked'),
    channel: read('channel') as Pending['channel'],
    purpose: 'login_mfa',
    challenge_id: read('challenge_id'),
    asks,
    others: read('other_methods').split(',').filter(Boolean) as Factor[],
    hasPasskey: asks === 'passkey',
    resendAt: inSeconds(60),
    expiresAt: inSeconds(Number(read('expires_in'))),
  }
}
