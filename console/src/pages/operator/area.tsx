import { lazy, Suspense, useEffect } from 'react'
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
import { FirstCode } from './first-code.tsx'
import { OperatorFrame } from './frame.tsx'
import { OperatorContext, type Me } from './operator.ts'
import { operatorPages } from './operator-pages.ts'
import { FreshCodeProvider } from './fresh-code.tsx'

const Enrolment = lazy(() => import('./enrolment.tsx'))

/** The operators' pages; for everybody else, "not found". */
export default function OperatorArea() {
  const { id } = useSession()
  useMustBeSignedIn()
  return <AreaOfSession key={id} />
}

function AreaOfSession() {
  const { status } = useSession()
  const isIn = { enabled: status === 'in', staleTime: Infinity }
  const me = useAsk('GET /v1/operator/me', {}, isIn)
  if (me.data) return <CurrentPage me={me.data.data} />
  if (me.error?.status === 404) return <PageNotFound />
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

function PageNotFound() {
  useTitle(notFoundPage.title)
  return <PublicFrame>{notFoundPage.show({})}</PublicFrame>
}

function CurrentPage({ me }: { me: Me }) {
  const [location] = useLocation()
  const { page, params } = findPage(operatorPages, location) ?? { page: notFoundPage, params: {} }
  useTitle(page.title)
  const step =
    !me.authenticator && !me.passkey ? (
      <Suspense fallback={<Skeleton lines={4} tall />}>
        <Enrolment />
      </Suspense>
    ) : me.second_factor_at === undefined ? (
      <FirstCode />
    ) : undefined
  return (
    <OperatorContext value={me}>
      <FreshCodeProvider>
        <OperatorFrame isOpen={step === undefined}>
          {step ?? (
            <Crash key={location}>
              <Suspense fallback={<Skeleton lines={4} tall />}>{page.show(params)}</Suspense>
            </Crash>
          )}
        </OperatorFrame>
      </FreshCodeProvider>
    </OperatorContext>
  )
}

function useTitle(title: Record<Language, string>): void {
  const { language } = useLanguage()
  useEffect(() => {
    document.title = `${title[language]} · Mlango`
  }, [title, language])
}
