import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { expectSession } from '../../client/session.ts'
import { AskFailure } from '../../client/failure.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useWords } from '../../words/language.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { signInWords } from './words.ts'

/** Google and GitHub return here: with the cookie set, or with the error in the fragment. */
export default function Page() {
  const words = useWords(signInWords)
  const [, go] = useLocation()
  const [failure, setFailure] = useState<AskFailure>()
  useEffect(() => {
    const said = new URLSearchParams(location.hash.slice(1))
    history.replaceState(null, '', location.pathname)
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
