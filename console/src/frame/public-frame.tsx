import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useSession } from '../client/session.ts'
import { ButtonLink } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { Band, Logo } from './logo.tsx'
import { LanguageSwitch } from './theme.tsx'
import { frameWords } from './words.ts'

/** Around every page for everybody. */
export function PublicFrame({ children }: { children: ReactNode }) {
  const words = useWords(frameWords)
  return (
    <>
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-card focus:p-3"
      >
        {words.skip}
      </a>
      <Header />
      <main id="page" tabIndex={-1} className="min-h-[60vh] outline-none">
        {children}
      </main>
      <Footer />
    </>
  )
}

function Header() {
  const words = useWords(frameWords)
  const { status } = useSession()
  return (
    <header className="sticky top-0 z-10 border-b border-line bg-page/95 backdrop-blur-sm">
      <div className="column flex min-h-16 items-center gap-1">
        <Link href="/" className="mr-auto flex min-h-11 items-center">
          <Logo />
        </Link>
        <nav aria-label={words.site} className="hidden md:block">
          <PageLinks />
        </nav>
        <LanguageSwitch />
        {status === 'in' ? (
          <ButtonLink to="/app" size="small">
            {words.console}
          </ButtonLink>
        ) : (
          <ButtonLink to="/login" kind="plain" size="small">
            {words.signIn}
          </ButtonLink>
        )}
        <MenuOnPhones />
      </div>
    </header>
  )
}

/** Works before any script: the browser opens it. */
function MenuOnPhones() {
  const words = useWords(frameWords)
  const [location] = useLocation()
  return (
    // Another page closes it.
    <details key={location} className="group md:hidden">
      <summary className="-mr-2 flex size-11 list-none items-center justify-center rounded-sm [&::-webkit-details-marker]:hidden">
        <span className="sr-only">{words.menu}</span>
        <span className="group-open:hidden">
          <Icon name="menu" size={24} />
        </span>
        <span className="hidden group-open:block">
          <Icon name="cross" size={24} />
        </span>
      </summary>
      <nav
        aria-label={words.site}
        className="absolute inset-x-0 top-full border-b border-line bg-page px-2 pb-3 shadow-lg"
      >
        <PageLinks stacked />
      </nav>
    </details>
  )
}

function PageLinks({ stacked = false }: { stacked?: boolean }) {
  const words = useWords(frameWords)
  const look = `flex min-h-11 items-center rounded-sm px-3 font-medium text-soft hover:bg-sunken hover:text-ink aria-[current=page]:text-green ${stacked ? 'text-base' : 'text-sm'}`
  const [location] = useLocation()
  const pages = [
    ['/models', words.models],
    ['/guides', words.guides],
    ['/status', words.status],
  ] as const
  return (
    <ul className={stacked ? '' : 'flex'}>
      {pages.map(([to, label]) => (
        <li key={to}>
          <Link href={to} className={look} aria-current={location === to ? 'page' : undefined}>
            {label}
          </Link>
        </li>
      ))}
      <li>
        {/* A page of the API itself, not of this program. */}
        <a href="/docs" className={look}>
          {words.reference}
        </a>
      </li>
    </ul>
  )
}

function Footer() {
  const words = useWords(frameWords)
  const link = 'flex min-h-11 items-center text-soft hover:text-ink hover:underline'
  return (
    <footer className="mt-16 border-t border-line bg-card">
      <Band />
      <div className="column grid gap-8 py-10 sm:grid-cols-[2fr_1fr_1fr]">
        <div className="flex max-w-sm flex-col gap-2 text-sm text-soft">
          <Logo />
          <p>{words.motto}</p>
          <p>{words.payments}</p>
          <p>
            {words.failedFree} {words.contentWarning}
          </p>
        </div>
        <nav aria-label={words.product} className="text-sm">
          <p className="font-semibold">{words.product}</p>
          <Link href="/models" className={link}>
            {words.models}
          </Link>
          <Link href="/status" className={link}>
            {words.status}
          </Link>
          <Link href="/register" className={link}>
            {words.register}
          </Link>
        </nav>
        <nav aria-label={words.developers} className="text-sm">
          <p className="font-semibold">{words.developers}</p>
          <Link href="/guides" className={link}>
            {words.guides}
          </Link>
          <a href="/docs" className={link}>
            {words.reference}
          </a>
          <a href="/v1/openapi.json" className={link}>
            OpenAPI
          </a>
        </nav>
      </div>
    </footer>
  )
}
