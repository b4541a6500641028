import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useSignOut } from '../../frame/app-frame.tsx'
import { MenuSummary } from '../../frame/menu-summary.tsx'
import { Logo } from '../../frame/logo.tsx'
import { OfflineBanner, SimulatedBanner } from '../../frame/banners.tsx'
import { LanguageSwitch } from '../../frame/theme.tsx'
import { frameWords } from '../../frame/words.ts'
import { IconButton } from '../../parts/button.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { useWords } from '../../words/language.tsx'
import { useOperator } from './operator.ts'
import { operatorWords } from './words.ts'

const ITEMS = [
  { to: '/operator', name: 'overview', icon: 'home' },
  { to: '/operator/accounts', name: 'accounts', icon: 'people' },
  { to: '/operator/payments', name: 'payments', icon: 'wallet' },
  { to: '/operator/requests', name: 'requests', icon: 'edit' },
  { to: '/operator/models', name: 'models', icon: 'spark' },
  { to: '/operator/upstreams', name: 'upstreams', icon: 'globe' },
  { to: '/operator/messages', name: 'messages', icon: 'send' },
  { to: '/operator/books', name: 'books', icon: 'bars' },
  { to: '/operator/log', name: 'log', icon: 'clock' },
  { to: '/operator/office', name: 'office', icon: 'gear' },
] as const satisfies { to: string; name: string; icon: IconName }[]

type Props = {
  /** The operator has passed the second factor: the menu is shown. */
  isOpen: boolean
  children: ReactNode
}

/** Around the operators' pages: a menu at the side on a desktop, behind a button on a phone. */
export function OperatorFrame({ isOpen, children }: Props) {
  const words = useWords(frameWords)
  const own = useWords(operatorWords)
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[15rem_1fr]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-card focus:p-3"
      >
        {words.skip}
      </a>
      <nav
        aria-label={own.navigation}
        className="no-print hidden border-r border-line bg-card p-4 lg:sticky lg:top-0 lg:block lg:h-dvh lg:overflow-y-auto"
      >
        <div className="mb-4">
          <AreaName />
        </div>
        {isOpen && <MenuItems />}
      </nav>
      <div className="min-w-0">
        <SimulatedBanner />
        <TopBar isOpen={isOpen} />
        <main id="page" tabIndex={-1} className="column pt-6 pb-16 outline-none">
          <OfflineBanner />
          {children}
        </main>
      </div>
    </div>
  )
}

function AreaName() {
  const words = useWords(operatorWords)
  return (
    <Link
      href="/operator"
      className="flex min-h-11 min-w-0 flex-wrap items-center gap-x-2 lg:flex-col lg:items-start lg:gap-2"
    >
      <Logo />
      <span className="rounded-full bg-ink px-2.5 py-0.5 text-sm font-medium text-page">
        {words.area}
      </span>
    </Link>
  )
}

function TopBar({ isOpen }: { isOpen: boolean }) {
  const words = useWords(frameWords)
  const own = useWords(operatorWords)
  const { role } = useOperator()
  const signOut = useSignOut()
  const [location] = useLocation()
  return (
    <header className="no-print sticky top-0 z-10 border-b border-line bg-page/95 backdrop-blur-sm">
      <div className="column flex min-h-14 items-center gap-1">
        <div className="mr-auto min-w-0 lg:hidden">
          <AreaName />
        </div>
        <p className="mr-auto text-sm text-soft max-lg:hidden">{own.yourRole(own.roles[role])}</p>
        <span className="max-sm:hidden">
          <LanguageSwitch />
        </span>
        <Link
          href="/app"
          className="flex min-h-11 items-center rounded-sm px-3 text-sm font-semibold text-soft hover:bg-sunken hover:text-ink max-lg:hidden"
        >
          {own.ownAccount}
        </Link>
        <span className="max-lg:hidden">
          <IconButton icon="out" label={words.signOut} onClick={() => void signOut()} />
        </span>
        {/* Another page closes it. */}
        <details key={location} className="group lg:hidden">
          <MenuSummary />
          <div className="absolute inset-x-0 top-full max-h-[calc(100dvh-4rem)] overflow-y-auto border-b border-line bg-page px-2 pb-3 shadow-lg">
            {isOpen && (
              <nav aria-label={own.navigation}>
                <MenuItems />
              </nav>
            )}
            <div className="mt-2 flex flex-wrap items-center gap-x-2 border-t border-line px-3 pt-2">
              <p className="mr-auto text-sm text-soft">{own.yourRole(own.roles[role])}</p>
              <LanguageSwitch />
              <Link href="/app" className="link flex min-h-11 items-center px-2 text-sm">
                {own.ownAccount}
              </Link>
              <IconButton icon="out" label={words.signOut} onClick={() => void signOut()} />
            </div>
          </div>
        </details>
      </div>
    </header>
  )
}

function MenuItems() {
  const words = useWords(operatorWords)
  const [location] = useLocation()
  const isHere = (to: string) =>
    to === '/operator' ? location === to : location === to || location.startsWith(`${to}/`)
  return (
    <ul className="flex flex-col gap-0.5">
      {ITEMS.map(({ to, name, icon }) => (
        <li key={to}>
          <Link
            href={to}
            aria-current={isHere(to) ? 'page' : undefined}
            className="flex min-h-11 items-center gap-3 rounded-sm px-3 text-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-green-wash aria-[current=page]:font-semibold aria-[current=page]:text-green"
          >
            <Icon name={icon} size={22} />
            {words.pages[name]}
          </Link>
        </li>
      ))}
    </ul>
  )
}
