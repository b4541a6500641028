import { PageTitle } from '../../parts/page-title.tsx'
import { useWords } from '../../words/language.tsx'
import { guideWords } from './words.ts'

export default function Page() {
  const words = useWords(guideWords)
  return (
    <div className="column py-8">
      <PageTitle title={words.title} lead={words.lead} />
      <p>
        <a href="/docs" className="link">
          {words.reference}
        </a>
      </p>
    </div>
  )
}
