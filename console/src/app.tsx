import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { Fragment, Suspense, useEffect, useRef } from 'react'
import { Router, useLocation } from 'wouter'
import { resume } from './client/session.ts'
import { AppFrame } from './frame/app-frame.tsx'
import { Crash } from './frame/crash.tsx'
import { PublicFrame } from './frame/public-frame.tsx'
import { appPages, operatorArea } from './pages/app-pages.ts'
import { findPage, type Page } from './pages/page.tsx'
import { notFoundPage, publicPages } from './pages/public-pages.ts'
import { Skeleton } from './parts/skeleton.tsx'
import { LanguageProvider, useLanguage, type Language } from './words/language.tsx'

type AppProps = {
  language: Language
  client: QueryClient
  /** While pages are prerendered there is no address bar. */
  path?: string
}

export function App({ language, client, path }: AppProps) {
  return (
    <QueryClientProvider client={client}>
      <LanguageProvider start={language}>
        <Router {...(path === undefined ? {} : { ssrPath: path })}>
          <CurrentPage />
        </Router>
      </LanguageProvider>
    </QueryClientProvider>
  )
}

export function pageAt(location: string) {
  return (
    findPage([...publicPages, ...appPages, operatorArea], location) ?? {
      page: notFoundPage,
      params: {},
    }
  )
}

function CurrentPage() {
  const [location] = useLocation()
  const { page, params } = pageAt(location)
  useArrival(page, location)
  useEffect(() => void resume(), [])
  const isOperators = page === operatorArea
  // The operators' area has a frame and pages of its own.
  const Frame = isOperators ? Fragment : location.startsWith('/app') ? AppFrame : PublicFrame
  return (
    <Frame>
      <Crash key={isOperators ? page.path : location}>
        <Suspense fallback={<Skeleton lines={4} tall />}>{page.show(params)}</Suspense>
      </Crash>
    </Frame>
  )
}

/** A new page: its title, from the top, with the focus where it begins. */
function useArrival(page: Page, location: string): void {
  const { language } = useLanguage()
  const first = useRef(true)
  useEffect(() => {
    if (page.writesTitles) return
    const title = page.title[language]
    document.title = page.path === '/' ? title : `${title} · Mlango`
  }, [page, language])
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    window.scrollTo(0, 0)
    document.getElementById('page')?.focus({ preventScroll: true })
  }, [location])
}
