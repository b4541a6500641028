import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { tryWords } from './words.ts'

export default function Page() {
  const words = useWords(tryWords)
  return <PageTitle title={words.title} />
}
