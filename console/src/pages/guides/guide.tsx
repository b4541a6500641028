import { useId, type ReactNode } from 'react'
import { Link } from 'wouter'
import { ButtonLink } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { GUIDES, guideOf, type GuideName } from './guides.ts'
import { guideWords } from './words.ts'

type Props = {
  name: GuideName
  /** The playground's page for it. */
  tryAt?: string
  children: ReactNode
}

/** A guide, with the list of all beside it and a link to the next. */
export function Guide({ name, tryAt, children }: Props) {
  const words = useWords(guideWords)
  const { language } = useLanguage()
  const { title, description } = guideOf(name)
  const next = GUIDES[GUIDES.findIndex((guide) => guide.name === name) + 1]
  return (
    <div className="column grid gap-10 py-8 lg:grid-cols-[14rem_minmax(0,1fr)]">
      <nav aria-label={words.title} className="max-lg:order-last lg:sticky lg:top-20 lg:self-start">
        <Link href="/guides" className="link mb-2 inline-flex min-h-11 items-center font-semibold">
          {words.all}
        </Link>
        <ul className="flex flex-col">
          {GUIDES.map((guide) => (
            <li key={guide.name}>
              <Link
                href={`/guides/${guide.name}`}
                aria-current={guide.name === name ? 'page' : undefined}
                className="flex min-h-11 items-center rounded-sm px-3 py-2 leading-snug text-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-green-wash aria-[current=page]:font-semibold aria-[current=page]:text-green"
              >
                {guide.title[language]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <article className="min-w-0 max-w-3xl">
        <h1 className="text-2xl lg:text-3xl">{title[language]}</h1>
        <p className="mt-2 text-lg text-soft">{description[language]}</p>
        <div className="mt-4 flex flex-wrap gap-2">
          <ButtonLink to="/app/keys" kind="plain" size="small" icon="key">
            {words.key}
          </ButtonLink>
          {tryAt !== undefined && (
            <ButtonLink to={tryAt} kind="plain" size="small" icon="play">
              {words.try}
            </ButtonLink>
          )}
        </div>
        {children}
        {next && (
          <Link
            href={`/guides/${next.name}`}
            className="card mt-10 flex items-center justify-between gap-3 p-5 hover:border-edge hover:bg-green-wash"
          >
            <span>
              <span className="block text-sm text-soft">{words.next}</span>
              <span className="block text-lg font-semibold">{next.title[language]}</span>
            </span>
            <span className="text-green">
              <Icon name="arrow" size={24} />
            </span>
          </Link>
        )}
      </article>
    </div>
  )
}

/** A step of a guide: its text is Markdown, what comes after it is code. */
export function GuideStep({
  title,
  text,
  children,
}: {
  title: string
  text: string
  children?: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mt-8 flex flex-col gap-3">
      <h2 id={id} className="text-xl">
        {title}
      </h2>
      <Markdown text={text} />
      {children}
    </section>
  )
}
