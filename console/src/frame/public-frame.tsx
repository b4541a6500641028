import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useSession } from '../client/session.ts'
import { ButtonLink } from '../parts/button.tsx'
import { useWords } from '../words/language.tsx'
import { Band, Logo } from './logo.tsx'
import { MenuSummary } from './menu-summary.tsx'
import { SimulatedBanner } from './banners.tsx'
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
      <SimulatedBanner />
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
          <>
            <ButtonLink to="/login" kind="plain" size="small">
              {words.signIn}
            </ButtonLink>
            <span className="ml-1 max-lg:hidden">
              <ButtonLink to="/register" size="small">
                {words.register}
              </ButtonLink>
            </span>
          </>
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
      <MenuSummary />
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
  return (
    <footer className="mt-12 border-t border-line bg-card">
      <Band />
      <div className="column grid grid-cols-2 gap-x-6 gap-y-4 py-8 text-sm md:grid-cols-[2fr_1fr_1fr]">
        <div className="col-span-2 flex max-w-md flex-col gap-2 text-soft md:col-span-1">
          <Logo />
          <p>
            {words.motto} {words.payments}
          </p>
          <p>
            {words.failedFree} {words.contentWarning}
          </p>
        </div>
        <FooterLinks
          title={words.product}
          links={[
            ['/models', words.models],
            ['/status', words.status],
            ['/register', words.register],
          ]}
        />
        <FooterLinks
          title={words.developers}
          links={[
            ['/guides', words.guides],
            ['/docs', words.reference],
            ['/v1/openapi.json', 'OpenAPI'],
          ]}
        />
      </div>
    </footer>
  )
}

type FooterProps = { title: string; links: [to: string, label: string][] }

function FooterLinks({ title, links }: FooterProps) {
  const look = 'flex min-h-11 items-center text-soft hover:text-ink hover:underline'
  return (
    <nav aria-label={title}>
      <p className="font-semibold">{title}</p>
      {links.map(([to, label]) =>
        // The API's own pages are no part of this program.
        to === '/docs' || to.startsWith('/v1') ? (
          <a key={to} href={to} className={look}>
            {label}
          </a>
        ) : (
          <Link key={to} href={to} className={look}>
            {label}
          </Link>
        ),
      )}
    </nav>
  )
}
