import { Link } from 'wouter'
import { Icon } from '../../parts/icon.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { GUIDES } from './guides.ts'
import { guideWords } from './words.ts'

export default function Page() {
  const words = useWords(guideWords)
  const { language } = useLanguage()
  return (
    <div className="column py-8">
      <PageTitle title={words.title} lead={words.lead} />
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {GUIDES.map(({ name, icon, title, description }) => (
          <li key={name}>
            <Link
              href={`/guides/${name}`}
              className="card flex h-full gap-4 p-5 hover:border-edge hover:bg-green-wash"
            >
              <span className="flex size-11 shrink-0 items-center justify-center rounded-sm bg-green-wash text-green">
                <Icon name={icon} size={24} />
              </span>
              <span className="min-w-0">
                <span className="block text-lg font-semibold">{title[language]}</span>
                <span className="block text-soft">{description[language]}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <div className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-2">
        <a href="/docs" className="link inline-flex min-h-11 items-center gap-2">
          <Icon name="file" />
          {words.reference}
        </a>
        <a href="/v1/openapi.json" className="link inline-flex min-h-11 items-center">
          {words.openapi}
        </a>
      </div>
    </div>
  )
}
