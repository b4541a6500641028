import { Fragment, useEffect, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { ask } from '../client/ask.ts'
import { closeSession, resume, updateUser, useSession } from '../client/session.ts'
import { useAsk } from '../client/use-ask.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Money } from '../parts/money.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useFormats } from '../words/format.ts'
import { useLanguage, useWords } from '../words/language.tsx'
import { Logo } from './logo.tsx'
import { OfflineBanner, SimulatedBanner } from './banners.tsx'
import { LanguageSwitch } from './theme.tsx'
import { frameWords } from './words.ts'

const TRY_AGAIN_MS = 3_000

const TABS = [
  { to: '/app', name: 'overview', icon: 'home' },
  { to: '/app/try', name: 'try', icon: 'spark' },
  { to: '/app/keys', name: 'keys', icon: 'key' },
  { to: '/app/activity', name: 'activity', icon: 'bars' },
  { to: '/app/billing', name: 'billing', icon: 'wallet' },
] as const satisfies { to: string; name: string; icon: IconName }[]

/** Around every page of an account: five tabs below on a phone, at the side on a desktop. */
export function AppFrame({ children }: { children: ReactNode }) {
  const words = useWords(frameWords)
  const { status, id } = useSession()
  useMustBeSignedIn()
  useLanguageOfAccount()
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[15rem_1fr]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-card focus:p-3"
      >
        {words.skip}
      </a>
      <nav
        aria-label={words.navigation}
        className="no-print fixed inset-x-0 bottom-0 z-10 border-t border-line bg-card pb-[env(safe-area-inset-bottom)] lg:sticky lg:top-0 lg:h-dvh lg:border-t-0 lg:border-r lg:p-4"
      >
        <Link href="/" className="mb-6 hidden min-h-11 items-center px-2 lg:flex">
          <Logo />
        </Link>
        <ul className="grid grid-cols-5 lg:grid-cols-1 lg:gap-1">
          {TABS.map((tab) => (
            <MenuTab key={tab.to} {...tab} label={words[tab.name]} />
          ))}
        </ul>
      </nav>
      <div className="min-w-0">
        <SimulatedBanner />
        <TopBar key={id} />
        <main id="page" tabIndex={-1} className="column pt-6 pb-28 outline-none lg:pb-16">
          <OfflineBanner />
          {status === 'in' ? <Fragment key={id}>{children}</Fragment> : <Skeleton lines={4} tall />}
        </main>
      </div>
    </div>
  )
}

function MenuTab({ to, icon, label }: { to: string; icon: IconName; label: string }) {
  const [location] = useLocation()
  const here = to === '/app' ? location === '/app' : location.startsWith(to)
  return (
    <li>
      <Link
        href={to}
        aria-current={here ? 'page' : undefined}
        className="flex min-h-14 flex-col items-center justify-center gap-0.5 text-sm text-soft hover:text-ink aria-[current=page]:font-semibold aria-[current=page]:text-green lg:min-h-11 lg:flex-row lg:justify-start lg:gap-3 lg:rounded-sm lg:px-3 lg:text-base lg:hover:bg-sunken lg:aria-[current=page]:bg-green-wash"
      >
        <Icon name={icon} size={22} />
        {label}
      </Link>
    </li>
  )
}

function TopBar() {
  const words = useWords(frameWords)
  const signOut = useSignOut()
  const { number } = useFormats()
  const { status } = useSession()
  const isIn = { enabled: status === 'in' }
  const balance = useAsk('GET /v1/billing/balance', {}, isIn)
  const notices = useAsk('GET /v1/notifications', { query: { unread: 'true', limit: 1 } }, isIn)
  const unread = notices.data?.pagination?.total ?? 0
  const [, go] = useLocation()
  return (
    <header className="no-print sticky top-0 z-10 border-b border-line bg-page/95 backdrop-blur-sm">
      <div className="column flex min-h-14 items-center gap-1">
        <Link href="/app" className="mr-auto flex min-h-11 items-center lg:hidden">
          <Logo />
        </Link>
        <Link
          href="/app/billing"
          className="flex min-h-11 items-center rounded-sm px-2 text-sm font-semibold hover:bg-sunken max-sm:hidden lg:mr-auto"
        >
          <span className="mr-2 font-normal text-soft">{words.balance}</span>
          {balance.data && <Money credits={balance.data.data.available_credits} />}
        </Link>
        <LanguageSwitch />
        <span className="relative">
          <IconButton
            icon="bell"
            label={unread > 0 ? words.unread(number(unread)) : words.notices}
            onClick={() => go('/app/notices')}
          />
          {unread > 0 && (
            <span
              aria-hidden="true"
              className="absolute top-2.5 right-2.5 size-2.5 rounded-full border-2 border-page bg-gold"
            />
          )}
        </span>
        <IconButton icon="gear" label={words.settings} onClick={() => go('/app/settings')} />
        <IconButton icon="out" label={words.signOut} onClick={() => void signOut()} />
      </div>
    </header>
  )
}

/** Sets the account's language, in which messages are written, to the one chosen here. */
function useLanguageOfAccount(): void {
  const { user } = useSession()
  const { language } = useLanguage()
  useEffect(() => {
    if (user === undefined || user.locale === language) return
    ask('PATCH /v1/me', { body: { locale: language } }).then(
      ({ data }) => updateUser(data),
      // The next page tries again.
      () => {},
    )
  }, [user?.id, language])
}

/** Ends the session at the service, and with it everything that this browser has read. */
export function useSignOut(): (everywhere?: boolean) => Promise<void> {
  const [, go] = useLocation()
  return async (everywhere = false) => {
    await ask('POST /v1/auth/logout', { body: everywhere ? { all: true } : {} }).catch(() => {})
    closeSession()
    go('/login')
  }
}

/** Sends visitors who are not signed in to the sign-in page, and back here afterwards. */
export function useMustBeSignedIn(): void {
  const session = useSession()
  const { status } = session
  const [location, go] = useLocation()
  useEffect(() => {
    if (status === 'unknown') void resume()
    if (status === 'unreachable') {
      const timer = setTimeout(() => void resume(), TRY_AGAIN_MS)
      return () => clearTimeout(timer)
    }
    if (status !== 'out') return undefined
    go(`/login?next=${encodeURIComponent(location + window.location.search)}`, { replace: true })
    return undefined
  }, [session])
}
