import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { overviewWords } from './words.ts'

export default function Page() {
  const words = useWords(overviewWords)
  return <PageTitle title={words.title} />
}
