import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useOrigin } from '../../../client/origin.ts'
import { ButtonLink } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Sample } from '../../../parts/sample.tsx'
import { samplesOf } from '../../../samples/samples.ts'
import type { SampleCall } from '../../../samples/types.ts'
import { useWords } from '../../../words/language.tsx'
import type { ModelChoice } from './model-choice.tsx'
import { ModelReady } from './model-ready.tsx'
import { TABS, useLastTab, type PlaygroundTab } from './tabs.ts'
import { tryWords } from './words.ts'

type Props = {
  tab: PlaygroundTab
  /** Without a model there is nothing to try. */
  choice: ModelChoice
  settings: ReactNode
  children: ReactNode
  /** The call that would be sent now, or has just been sent. */
  call: SampleCall
}

/** Settings, talk and code: side by side on a desktop, below each other on a phone. */
export function TryLayout({ tab, choice, settings, children, call }: Props) {
  const words = useWords(tryWords)
  const origin = useOrigin()
  const [, setLastTab] = useLastTab()
  useEffect(() => setLastTab(tab), [tab])
  return (
    <>
      <h1 className="mb-3 text-2xl max-sm:sr-only">
        {words.title}
        <span className="sr-only">: {words.tab[tab]}</span>
      </h1>
      <PlaygroundTabs tab={tab} />
      <div className="grid gap-4 xl:grid-cols-[13.5rem_minmax(0,1fr)_19.5rem] xl:items-start xl:gap-6">
        <Collapsible title={words.settings}>{settings}</Collapsible>
        <div className="min-w-0">
          <ModelReady choice={choice}>{children}</ModelReady>
        </div>
        <Collapsible title={words.code}>
          <p className="text-sm text-soft">{words.codeSay}</p>
          <Sample label={words.code} tabs={samplesOf(origin, call)} />
          <div>
            <ButtonLink to="/app/keys" kind="quiet" size="small" icon="key">
              {words.makeKey}
            </ButtonLink>
          </div>
        </Collapsible>
      </div>
    </>
  )
}

function PlaygroundTabs({ tab }: { tab: PlaygroundTab }) {
  const words = useWords(tryWords)
  const list = useRef<HTMLUListElement>(null)
  // On a phone the last tabs are out of sight until one scrolls.
  useEffect(() => {
    const here = list.current?.querySelector('[aria-current]')
    here?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [tab])
  return (
    <nav aria-label={words.tabs} className="-mx-4 mb-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
      <ul ref={list} className="flex w-max gap-2 py-1">
        {TABS.map(({ name, icon }) => (
          <li key={name}>
            <Link
              href={`/app/try/${name}`}
              aria-current={name === tab ? 'page' : undefined}
              className="flex min-h-11 items-center gap-2 rounded-full border border-line bg-card px-4 text-sm font-medium text-soft hover:border-edge hover:text-ink aria-[current=page]:border-green aria-[current=page]:bg-green-wash aria-[current=page]:text-green"
            >
              <Icon name={icon} size={18} />
              {words.tab[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Collapsed on a phone until it is opened; always open where there is room. */
function Collapsible({ title, children }: { title: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <section aria-label={title} className="min-w-0 max-xl:card">
      <h2 className="xl:hidden">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className="flex min-h-12 w-full items-center justify-between gap-2 px-4 text-left text-base font-semibold"
        >
          {title}
          <span className={open ? 'rotate-180' : ''}>
            <Icon name="down" />
          </span>
        </button>
      </h2>
      <h2 className="mb-3 hidden text-base xl:block">{title}</h2>
      <div
        id={id}
        className={`flex-col gap-4 max-xl:px-4 max-xl:pb-4 xl:flex ${open ? 'flex' : 'hidden'}`}
      >
        {children}
      </div>
    </section>
  )
}
