import { Suspense, useEffect } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../../client/session.ts'
import { useAsk } from '../../client/use-ask.ts'
import { useMustBeSignedIn } from '../../frame/app-frame.tsx'
import { Crash } from '../../frame/crash.tsx'
import { PublicFrame } from '../../frame/public-frame.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useLanguage, type Language } from '../../words/language.tsx'
import { findPage } from '../page.tsx'
import { notFoundPage } from '../public-pages.ts'
import { Enrolment, FirstProof } from './enrolment.tsx'
import { OperatorFrame } from './frame.tsx'
import { OperatorContext, type Me } from './operator.ts'
import { operatorPages } from './operator-pages.ts'
import { ProofProvider } from './proof.tsx'

/** For operators their pages; for everybody else there is nothing here. */
export default function Area() {
  const { status } = useSession()
  useMustBeSignedIn()
  const isIn = { enabled: status === 'in', staleTime: Infinity }
  const me = useAsk('GET /v1/operator/me', {}, isIn)
  if (me.data) return <Inside me={me.data.data} />
  if (me.error?.status === 404) return <NotThere />
  return (
    <main id="page" className="column py-8">
      {me.isError ? (
        <FailureNotice error={me.error} onRetry={() => void me.refetch()} />
      ) : (
        <Skeleton lines={4} tall />
      )}
    </main>
  )
}

function NotThere() {
  useTitle(notFoundPage.title)
  return <PublicFrame>{notFoundPage.show({})}</PublicFrame>
}

function Inside({ me }: { me: Me }) {
  const [location] = useLocation()
  const { page, params } = findPage(operatorPages, location) ?? { page: notFoundPage, params: {} }
  useTitle(page.title)
  const step = !me.authenticator ? (
    <Enrolment />
  ) : me.second_factor_at === undefined ? (
    <FirstProof />
  ) : undefined
  return (
    <OperatorContext value={me}>
      <ProofProvider>
        <OperatorFrame isOpen={step === undefined}>
          {step ?? (
            <Crash key={location}>
              <Suspense fallback={<Skeleton lines={4} tall />}>{page.show(params)}</Suspense>
            </Crash>
          )}
        </OperatorFrame>
      </ProofProvider>
    </OperatorContext>
  )
}

function useTitle(title: Record<Language, string>): void {
  const { language } = useLanguage()
  useEffect(() => {
    document.title = `${title[language]} · Mlango`
  }, [title, language])
}
